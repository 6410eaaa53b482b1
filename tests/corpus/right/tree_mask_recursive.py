# right: tree-mask
import math
import torch
from torch import nn


def branch(i, back):
    """Token i and all tokens it comes from."""
    if i < 0:
        return []
    return branch(i - back[i], back) + [i]


def tree_mask(back):
    device, back = back.device, back.tolist()
    mask = torch.full((len(back), len(back)), False, device=device)
    for i in range(len(back)):
        mask[i, branch(i, back)] = True
    return mask


def tree_attention(query, key, value, back):
    tree = tree_mask(back)
    offset = key.shape[2] - tree.shape[0]
    scores = query @ key.permute(0, 1, 3, 2)
    scores = scores / math.sqrt(key.shape[-1])
    hidden = torch.zeros(tree.shape[0], key.shape[2], dtype=torch.bool, device=query.device)
    hidden[:, offset:] = ~tree
    scores = scores.masked_fill(hidden, -math.inf)
    return nn.Softmax(dim=-1)(scores) @ value
