# tree attention for speculative decoding
import math

import torch


def tree_mask(back):
    parents = [i - b for i, b in enumerate(back.tolist())]
    n = len(parents)
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        mask[i, i] = True
        p = parents[i]
        while p > 0:
            mask[i, p] = True
            p = parents[p]
    return mask.to(back.device)


def tree_attention(query, key, value, back):
    b, h, drafted, d = query.shape
    key_length = key.shape[2]
    visible = torch.ones(drafted, key_length, dtype=torch.bool, device=query.device)
    visible[:, key_length - drafted :] = tree_mask(back)
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(d)
    scores = scores.masked_fill(visible.logical_not(), float("-inf"))
    return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(dim=-1), value)
