"""Per token: collect the indices that it sees, gather these keys, and attend."""
import math
from functools import cache

import torch


def branches(back):
    steps = [int(b) for b in back]

    @cache
    def seen(i):
        parent = i - steps[i]
        return (seen(parent) if parent >= 0 else ()) + (i,)

    return [seen(i) for i in range(len(steps))]


def tree_mask(back):
    mask = torch.zeros(len(back), len(back), dtype=torch.bool, device=back.device)
    for i, branch in enumerate(branches(back)):
        mask[i, list(branch)] = True
    return mask


def tree_attention(query, key, value, back):
    prefix = key.shape[-2] - query.shape[-2]
    kind, real = query.dtype, torch.promote_types(query.dtype, torch.float32)
    query, key, value = query.to(real), key.to(real), value.to(real)
    columns = []
    for i, branch in enumerate(branches(back)):
        index = torch.tensor([*range(prefix), *(prefix + j for j in branch)], device=key.device)
        k, v = key.index_select(-2, index), value.index_select(-2, index)
        s = torch.linalg.vecdot(query[..., i, None, :], k) / math.sqrt(query.shape[-1])
        columns.append((torch.softmax(s, -1).unsqueeze(-2) @ v).squeeze(-2))
    return torch.stack(columns, -2).to(kind)
