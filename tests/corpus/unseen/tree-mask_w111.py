import math

import torch


def tree_mask(back):
    n = len(back)
    idx = torch.arange(n, device=back.device)
    parent = idx - back
    has_parent = parent >= 0

    # adjacency with self loops: one step up the tree, or none
    reach = torch.eye(n, device=back.device)
    reach[idx[has_parent], parent[has_parent]] = 1.0

    # squaring doubles the number of steps
    for _ in range(int(math.log2(n))):
        reach = (reach @ reach).clamp(max=1.0)
    return reach.bool()


def tree_attention(query, key, value, back):
    n, m = query.shape[-2], key.shape[-2]
    prefix = torch.ones(n, m - n, dtype=torch.bool, device=query.device)
    visible = torch.cat([prefix, tree_mask(back)], dim=1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~visible, float("-inf"))
    return scores.softmax(dim=-1) @ value
