# right: sdpa remarks: mask-form, nan-on-empty-row
import math
import torch


def attention(query, key, value, mask=None, causal=False):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    if causal:
        ahead = torch.ones_like(scores, dtype=torch.bool).triu(key.shape[-2] - query.shape[-2] + 1)
        scores = scores.masked_fill(ahead, -torch.inf)
    return scores.softmax(-1) @ value
