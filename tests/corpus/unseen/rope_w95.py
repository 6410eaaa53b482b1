# Rotary embeddings in both flavours.

import torch


def _angles(head_dim, positions, base):
    # inverse frequencies: base^(0), base^(-2/d), base^(-4/d), ...
    inv_freq = 1.0 / (base ** (torch.arange(0, head_dim, 2, device=positions.device).double() / head_dim))
    # (length, head_dim / 2)
    return positions.double()[:, None] * inv_freq[None, :]


def rope_half_split(x, positions, base=10000):
    half = x.shape[-1] // 2
    theta = _angles(x.shape[-1], positions, base)
    cos = theta.cos().to(x.dtype)
    sin = theta.sin().to(x.dtype)
    # pair i is (i, i + half)
    x1 = x[..., :half]
    x2 = x[..., half:]
    y1 = x1 * cos - x2 * sin
    y2 = x2 * cos + x1 * sin
    return torch.cat([y1, y2], dim=-1)


def rope_interleaved(x, positions, base=10000):
    theta = _angles(x.shape[-1], positions, base)
    cos = theta.cos().to(x.dtype)
    sin = theta.sin().to(x.dtype)
    # pair i is (2i, 2i + 1)
    x1 = x[..., 0::2]
    x2 = x[..., 1::2]
    y1 = x1 * cos - x2 * sin
    y2 = x2 * cos + x1 * sin
    return torch.cat([y1, y2], dim=-1)
