import math

import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    length, head_dim = query.shape[-2:]

    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(head_dim)

    mask = torch.ones(length, length, dtype=torch.bool, device=query.device)
    mask = torch.tril(mask)  # causal
    mask = torch.triu(mask, diagonal=-window)
    scores = scores.masked_fill(~mask, float("-inf"))

    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value)
