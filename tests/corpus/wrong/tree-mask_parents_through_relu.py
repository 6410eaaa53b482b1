# wrong: tree-mask tree-root-wrapped line 9
import math

import torch
from torch.nn.functional import pad


def tree_mask(back):
    parent = torch.relu(torch.arange(len(back), device=back.device) - back)
    seen = torch.eye(len(back), dtype=torch.bool, device=back.device)
    for token in range(1, len(back)):
        seen[token] = seen[token] | seen[parent[token]]
    return seen


def tree_attention(query, key, value, back):
    seen = pad(tree_mask(back), (key.shape[2] - query.shape[2], 0), value=True)
    scores = query @ key.transpose(2, 3) / math.sqrt(query.shape[3])
    return torch.where(seen, scores, -math.inf).softmax(-1) @ value
