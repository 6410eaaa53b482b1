import math
from functools import reduce

import torch


def tree_mask(back):
    n = back.numel()
    idx = torch.arange(n, device=back.device)
    parent = idx - back.to(torch.int64)
    # up[i, j] = 1 where j is i or i's parent
    up = (idx[None, :] == parent[:, None]) | torch.eye(n, dtype=torch.bool, device=back.device)
    # paths of length <= 1, 2, 4, ... until no path can be longer
    square = lambda reach, _: (reach.float() @ reach.float()) > 0.5
    return reduce(square, range(max(n - 1, 1).bit_length()), up)


def tree_attention(query, key, value, back):
    work = torch.promote_types(query.dtype, torch.float32)
    n, total = query.size(-2), key.size(-2)
    see = torch.ones(n, total, dtype=torch.bool, device=query.device)
    see[:, total - n :] = tree_mask(back)
    scores = torch.where(
        see,
        query.to(work) @ key.to(work).transpose(-2, -1) / math.sqrt(query.size(-1)),
        torch.tensor(float("-inf"), dtype=work, device=query.device),
    )
    return (scores.softmax(-1) @ value.to(work)).to(query.dtype)
