from math import isqrt
from torch import *
import torch


def attention(query, key, value, mask=None, causal=False):
    m, n, kdim = query.shape[-2], key.shape[-2], query.shape[-1]
    root = isqrt(kdim)

    s = query.matmul(key.swapaxes(-1, -2)).div(root)

    hidden = zeros(m, n, dtype=torch.bool, device=s.device)
    if causal:
        i = arange(m, device=s.device).reshape(m, 1)
        j = arange(n, device=s.device).reshape(1, n)
        hidden = hidden.logical_or(j - i > n - m)
    if mask is not None:
        hidden = hidden.logical_or(mask == 0)

    s = s.masked_fill(hidden, torch.finfo(s.dtype).min)
    # log-weights first, they never overflow
    logw = s - s.logsumexp(dim=-1, keepdim=True)
    return logw.exp().matmul(value)
