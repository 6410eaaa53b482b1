import math
import torch


def tree_mask(back):
    steps = back.tolist()
    n = len(steps)
    mask = torch.eye(n, dtype=torch.bool, device=back.device)
    for i in range(n):
        p = i - steps[i]
        while p >= 0:
            mask[i, p] = True
            p = p - steps[i]
    return mask


def tree_attention(query, key, value, back):
    n = query.shape[2]
    prefix = key.shape[2] - n
    vis = torch.cat([torch.ones(n, prefix, dtype=torch.bool, device=query.device), tree_mask(back).to(query.device)], dim=1)
    s = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    s = s.masked_fill(~vis, float("-inf"))
    return torch.softmax(s, -1) @ value
