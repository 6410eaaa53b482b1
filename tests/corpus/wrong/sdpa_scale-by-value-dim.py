# wrong: sdpa scale-by-value-dim line 8
import math

import torch


def attention(query, key, value, mask=None, causal=False):
    scale = 1 / math.sqrt(value.shape[-1])
    scores = torch.matmul(query, key.transpose(-1, -2)) * scale
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    if causal:
        n, m = scores.shape[-2:]
        keep = torch.ones(n, m, dtype=torch.bool, device=scores.device).tril(m - n)
        scores = scores.masked_fill(~keep, float("-inf"))
    return torch.matmul(scores.softmax(-1), value)
