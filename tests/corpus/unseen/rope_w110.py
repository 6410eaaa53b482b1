import math

import torch


def _table(positions, d, base):
    i = torch.arange(0, d, 2, dtype=torch.float32, device=positions.device)
    ang = positions[:, None].float() * torch.exp(i * (-math.log(base) / d))
    return torch.cos(ang), torch.sin(ang)


def rope_half_split(x, positions, base=10000):
    cos, sin = _table(positions, x.size(-1), base)
    h = x.size(-1) // 2
    out = torch.empty_like(x)
    out[..., :h] = x[..., :h] * cos - x[..., h:] * sin
    out[..., h:] = x[..., h:] * cos + x[..., :h] * sin
    return out


def rope_interleaved(x, positions, base=10000):
    cos, sin = _table(positions, x.size(-1), base)
    out = x.clone()
    even, odd = slice(0, None, 2), slice(1, None, 2)
    out[..., even] = out[..., even] * cos - out[..., odd] * sin
    out[..., odd] = out[..., odd] * cos + out[..., even] * sin
    return out
