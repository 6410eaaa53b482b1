# wrong: rope rope-low-precision line 7
# fair: rope-low-precision 6, 7, 8
import torch


def tables(x, positions, base):
    inv = (base ** (-torch.arange(0, x.shape[-1], 2, device=x.device) / x.shape[-1])).to(x.dtype)
    angles = positions.to(x.dtype)[:, None] * inv
    return angles.cos(), angles.sin()


def rope_half_split(x, positions, base=10000):
    cos, sin = tables(x, positions, base)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def rope_interleaved(x, positions, base=10000):
    cos, sin = tables(x, positions, base)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)
