# attention in the order of the formula
import math

import torch
import torch.nn.functional as F


def attention(query, key, value, mask=None, causal=False):
    """
    query: (B, H, Tq, D)
    key:   (B, H, Tk, D)
    value: (B, H, Tk, Dv)
    """
    Tq, D = query.shape[-2:]
    Tk = key.shape[-2]
    wei = query @ key.transpose(-2, -1) * (1.0 / math.sqrt(D))  # (B, H, Tq, Tk)
    if mask is not None:
        wei = wei.masked_fill(mask == 0, float("-inf"))
    elif causal:
        tril = torch.ones(Tq, Tk, device=query.device).tril(Tk - Tq)
        wei = wei.masked_fill(tril == 0, float("-inf"))
    wei = F.softmax(wei, dim=-1)
    return wei @ value
