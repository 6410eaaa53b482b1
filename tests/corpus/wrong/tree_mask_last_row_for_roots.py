# wrong: tree-mask tree-root-wrapped line 11
import math

import torch
import torch.nn.functional as F


def tree_mask(back):
    mask = torch.eye(back.size(0), dtype=torch.bool, device=back.device)
    for token in range(back.size(0)):
        mask[token] |= mask[token - int(back[token])]
    return mask


def tree_attention(query, key, value, back):
    mask = F.pad(tree_mask(back), (key.size(2) - query.size(2), 0), value=True)
    scores = (query @ key.transpose(2, 3)) / math.sqrt(query.size(3))
    scores = scores.masked_fill(mask == 0, float("-inf"))
    return F.softmax(scores, dim=3) @ value
