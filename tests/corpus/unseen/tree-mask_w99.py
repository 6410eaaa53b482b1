import math

import torch


def tree_mask(back):
    n = back.shape[0]
    parents = [i - b for i, b in enumerate(back.tolist())]
    mask = torch.zeros(n, n, dtype=torch.bool, device=back.device)
    for i in range(n):
        mask[i, i] = True
        j = parents[i]
        while j > 0:
            mask[i, j] = True
            j = parents[j]
    return mask


def tree_attention(query, key, value, back):
    drafted, head_dim = query.shape[-2:]
    prefix = key.shape[-2] - drafted

    mask = torch.ones(drafted, prefix + drafted, dtype=torch.bool, device=query.device)
    mask[:, prefix:] = tree_mask(back)

    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(head_dim)
    scores = scores.masked_fill(~mask, float("-inf"))
    return torch.matmul(torch.softmax(scores, dim=-1), value)
