# wrong: sdpa mask-after-softmax line 13
import torch
from math import sqrt


def attention(query, key, value, mask=None, causal=False):
    scores = (query @ key.transpose(-2, -1)) / sqrt(query.shape[-1])
    if causal:
        size = scores.shape[-2:]
        upper = torch.triu(torch.ones(size, device=scores.device), diagonal=size[1] - size[0] + 1)
        scores = scores.masked_fill(upper == 1, float('-inf'))
    weights = torch.softmax(scores, dim=-1)
    weights = weights * mask.to(weights.dtype) if mask is not None else weights
    output = weights @ value
    return output
