# wrong: tree-mask tree-rows-shared line 13
import math

import torch


def tree_mask(back):
    n = len(back)
    above = {}
    mask = torch.zeros(n, n, dtype=torch.bool, device=back.device)
    for i, steps in enumerate(back.tolist()):
        parent = i - steps
        above[i] = above[parent] if parent >= 0 else set()
        above[i].add(i)
        mask[i, list(above[i])] = True
    return mask


def tree_attention(query, key, value, back):
    drafted, total = query.size(-2), key.size(-2)
    seen = torch.ones(drafted, total, dtype=torch.bool, device=query.device)
    seen[:, total - drafted:] = tree_mask(back)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    return scores.masked_fill(~seen, -math.inf).softmax(-1) @ value
