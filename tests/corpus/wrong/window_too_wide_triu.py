# wrong: window window-too-wide line 11
import math

import torch


def window_attention(query, key, value, window):
    n = query.shape[-2]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    causal = torch.ones(n, n, dtype=torch.bool, device=query.device).tril()
    band = causal.triu(-window)
    scores = scores.masked_fill(~band, float("-inf"))
    return scores.softmax(dim=-1) @ value
