import math
import torch


def tree_mask(back):
    n = back.shape[0]
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    for i in range(n):
        parent = i - int(back[i])
        if parent >= 0:
            mask[i, parent] = True
    return mask


def tree_attention(query, key, value, back):
    n = query.shape[2]
    prefix = key.shape[2] - n
    mask = torch.ones(n, key.shape[2], dtype=torch.bool, device=query.device)
    mask[:, prefix:] = tree_mask(back)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~mask, float("-inf"))
    return scores.softmax(-1) @ value
