# wrong: rope rope-positions-shifted line 7, rope-turned-backwards line 14
import torch


def _angles(x, positions, base):
    d = x.shape[-1]
    p = positions.float() + 1
    return p[:, None] * base ** (-torch.arange(0, d, 2, device=x.device).float() / d)


def rope_half_split(x, positions, base=10000):
    w = _angles(x, positions, base)
    a, b = x.chunk(2, -1)
    left = a * w.cos() + b * w.sin()
    right = b * w.cos() - a * w.sin()
    return torch.cat([left, right], -1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    w = _angles(x, positions, base)
    a, b = x[..., ::2], x[..., 1::2]
    left = a * w.cos() + b * w.sin()
    right = b * w.cos() - a * w.sin()
    return torch.stack([left, right], -1).flatten(-2).to(x.dtype)
