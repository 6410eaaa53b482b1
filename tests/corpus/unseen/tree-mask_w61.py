import math

import torch

ROOT = -1


def tree_mask(back):
    n = back.shape[0]
    parent = (torch.arange(n, device=back.device) - back).tolist()
    mask = torch.zeros((n, n), dtype=torch.bool, device=back.device)
    for i, p in enumerate(parent):
        # parents come first, so their row is finished
        if p != ROOT:
            mask[i] = mask[p]
        mask[i, i] = True
    return mask


def tree_attention(query, key, value, back):
    d = query.shape[-1]
    acc = torch.promote_types(query.dtype, torch.float32)
    tree = tree_mask(back)
    n = tree.shape[0]
    bias = torch.zeros(n, key.shape[2], dtype=acc, device=query.device)
    bias[:, key.shape[2] - n:].masked_fill_(tree.logical_not(), -math.inf)

    scores = torch.einsum("bhqd,bhkd->bhqk", query.to(acc), key.to(acc)) / math.sqrt(d)
    attn = torch.softmax(scores + bias, dim=-1)
    return torch.einsum("bhqk,bhkd->bhqd", attn, value.to(acc)).to(query.dtype)
