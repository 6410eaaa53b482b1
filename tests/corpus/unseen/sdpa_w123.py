import math
import torch
from torch.nn import functional as F


def attention(query, key, value, mask=None, causal=False):
    T, S = query.size(-2), key.size(-2)
    att = (query @ key.transpose(-2, -1)) * (1.0 / math.sqrt(key.size(-1)))
    if causal:
        bias = torch.tril(torch.ones(T, S, device=query.device))
        att = att.masked_fill(bias == 0, float('-inf'))
    if mask is not None:
        att = att.masked_fill(mask == 0, float('-inf'))
    att = F.softmax(att, dim=-1)
    return att @ value # (B, nh, T, S) x (B, nh, S, vs) -> (B, nh, T, vs)
