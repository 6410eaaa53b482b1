# wrong: rope rope-turned-backwards line 15
import torch


def _rot(x, positions, base):
    half = x.shape[-1] // 2
    f = base ** (-torch.arange(half, device=x.device).float() / half)
    a = positions.float()[:, None] * f
    return a.cos().to(x.dtype), a.sin().to(x.dtype)


def rope_half_split(x, positions, base=10000):
    c, s = _rot(x, positions, base)
    a, b = x.chunk(2, -1)
    return torch.cat((a * c + b * s, b * c - a * s), -1)


def rope_interleaved(x, positions, base=10000):
    c, s = _rot(x, positions, base)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((a * c - b * s, b * c + a * s), -1).flatten(-2)
