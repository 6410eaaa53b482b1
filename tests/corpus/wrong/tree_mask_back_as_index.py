# wrong: tree-mask tree-parent-misread line 10, 12, 13
from math import sqrt

import torch


def tree_mask(back):
    size = len(back)
    lineage = torch.eye(size, dtype=torch.bool, device=back.device)
    for position, parent in enumerate(back.tolist()):
        if parent >= 0:
            lineage[position] |= lineage[parent]
    return lineage


def tree_attention(query, key, value, back):
    start = key.size(-2) - query.size(-2)
    mask = torch.nn.functional.pad(tree_mask(back), (start, 0), value=1)
    raw = query @ key.swapaxes(-1, -2)
    probs = (raw / sqrt(query.size(-1))).masked_fill(~mask, -float("inf")).softmax(dim=-1)
    return probs @ value
