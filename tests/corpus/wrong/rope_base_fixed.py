# wrong: rope rope-base-ignored line 6
import torch


def angle(x, positions):
    return positions.float()[:, None] * 10000 ** (-torch.arange(0, x.shape[-1], 2, device=x.device) / x.shape[-1])


def rope_half_split(x, positions, base=10000):
    w = angle(x, positions)
    a, b = x.chunk(2, -1)
    return torch.cat([a * w.cos() - b * w.sin(), b * w.cos() + a * w.sin()], -1).to(x)


def rope_interleaved(x, positions, base=10000):
    w = angle(x, positions)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * w.cos() - b * w.sin(), b * w.cos() + a * w.sin()], -1).flatten(-2).to(x)
