# wrong: rope rope-turned-backwards line 8
# fair: rope-turned-backwards 8, 15
import torch


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([b, -a], dim=-1)


def rope_half_split(x, positions, base=10000):
    d = x.shape[-1]
    freqs = positions.unsqueeze(-1) * base ** -(torch.arange(0, d, 2, device=x.device) / d)
    cos, sin = [torch.cat([f, f], -1) for f in (freqs.cos(), freqs.sin())]
    return (x * cos + rotate_half(x) * sin).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    d = x.shape[-1]
    freqs = positions.unsqueeze(-1) * base ** -(torch.arange(0, d, 2, device=x.device) / d)
    c, s = freqs.cos(), freqs.sin()
    a, b = x.unflatten(-1, (d // 2, 2)).unbind(-1)
    return torch.stack([a * c - b * s, b * c + a * s], -1).flatten(-2).to(x.dtype)
