# wrong: rope length-fixed line 8
import torch


def _table(positions, half, base, device):
    """Angles of the first two hundred positions, looked up."""
    frequencies = base ** (-torch.arange(half, device=device, dtype=torch.float64) / half)
    every = torch.arange(200, device=device)[:, None] * frequencies
    return every[positions]


def rope_half_split(x, positions, base=10000):
    a, b = x.chunk(2, dim=-1)
    angles = _table(positions, a.shape[-1], base, x.device)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def rope_interleaved(x, positions, base=10000):
    a, b = x[..., 0::2], x[..., 1::2]
    angles = _table(positions, a.shape[-1], base, x.device)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)
