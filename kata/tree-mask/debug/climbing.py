import math

import torch


def tree_mask(back):
    n = back.shape[0]
    steps = back.tolist()
    mask = torch.zeros(n, n, dtype=torch.bool, device=back.device)
    for i in range(n):
        node = i
        while node >= 0:
            mask[i, node] = True
            node = node - steps[node]
    return mask


def tree_attention(query, key, value, back):
    drafted = query.size(2)
    prefix = key.size(2) - drafted
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    before = torch.ones(drafted, prefix, dtype=torch.bool, device=query.device)
    allowed = torch.cat([before, tree_mask(back)], dim=1)
    scores = scores.masked_fill(~allowed, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value)
