import math

import torch
import torch.nn.functional as F


def attention(query, key, value, mask=None, causal=False):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    L, S = scores.size(-2), scores.size(-1)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    if causal:
        tril = torch.ones(L, S, dtype=torch.bool, device=query.device).tril()
        scores = scores.masked_fill(~tril, float("-inf"))
    return torch.matmul(F.softmax(scores, dim=-1), value)
