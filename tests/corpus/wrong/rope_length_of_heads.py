# wrong: rope (error)
import torch


def rope_half_split(x, positions, base=10000):
    # x taken as (batch, length, heads, head_dim)
    w = positions.float()[:, None] * base ** (-torch.arange(0, x.shape[-1], 2, device=x.device) / x.shape[-1])
    w = w.view(1, x.shape[1], 1, -1)
    a, b = x.chunk(2, -1)
    return torch.cat([a * w.cos() - b * w.sin(), b * w.cos() + a * w.sin()], -1).to(x)


def rope_interleaved(x, positions, base=10000):
    w = positions.float()[:, None] * base ** (-torch.arange(0, x.shape[-1], 2, device=x.device) / x.shape[-1])
    w = w.view(1, x.shape[1], 1, -1)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * w.cos() - b * w.sin(), b * w.cos() + a * w.sin()], -1).flatten(-2).to(x)
