import math

import torch


def attention(query, key, value, mask=None, causal=False):
    d = query.size(-1)
    scores = query @ key.mT / math.sqrt(d)
    q_len, k_len = scores.shape[-2:]
    allowed = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device)
    if causal:
        allowed = allowed.tril(k_len - q_len)
    if mask is not None:
        allowed = allowed & mask.bool()
    scores = scores.masked_fill(~allowed, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ value
