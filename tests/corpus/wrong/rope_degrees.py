# wrong: rope rope-degrees line 8
# fair: rope-degrees 7, 8
import math
import torch

def grid(x, positions, base):
    rates = base ** (-torch.arange(0, x.shape[-1], 2, device=x.device) / x.shape[-1])
    degrees = positions.unsqueeze(1) * rates * (math.pi / 180)
    return degrees.cos(), degrees.sin()

def rope_half_split(x, positions, base=10000):
    c, s = grid(x, positions, base)
    u, v = x.tensor_split(2, dim=-1)
    return torch.cat([u * c - v * s, v * c + u * s], -1).to(x.dtype)

def rope_interleaved(x, positions, base=10000):
    c, s = grid(x, positions, base)
    u, v = x[..., ::2], x[..., 1::2]
    return torch.stack([u * c - v * s, v * c + u * s], -1).flatten(-2).to(x.dtype)
