import torch
from torch import einsum


def window_attention(query, key, value, window):
    n, d = query.shape[-2:]
    w = min(window, n)
    i = torch.arange(n, device=query.device)
    j = (i[:, None] - torch.arange(w, device=query.device)).clamp(min=0)
    k, v = key[:, :, j], value[:, :, j]  # b h n w d
    s = einsum("bhnd,bhnwd->bhnw", query, k) / d**0.5
    return einsum("bhnw,bhnwd->bhnd", s.softmax(-1), v)
