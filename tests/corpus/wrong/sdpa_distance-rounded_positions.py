# wrong: sdpa distance-rounded line 10
import math
import torch


def attention(query, key, value, mask=None, causal=False):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    Q, K = scores.shape[-2:]
    if causal:
        rows = torch.arange(K - Q, K, device=query.device, dtype=query.dtype)
        cols = torch.arange(K, device=query.device, dtype=query.dtype)
        scores = scores.masked_fill(cols > rows[:, None], float("-inf"))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    return scores.softmax(-1) @ value
