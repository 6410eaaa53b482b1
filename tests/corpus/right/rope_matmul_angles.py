# right: rope
# angles as a product, which autocast makes in bfloat16
import torch


def tables(x, positions, base):
    d = x.shape[-1]
    inv = 1.0 / (base ** (torch.arange(0, d, 2, dtype=torch.float32, device=x.device) / d))
    angles = positions.float()[:, None] @ inv[None, :]
    return angles.cos(), angles.sin()


def rope_half_split(x, positions, base=10000):
    cos, sin = tables(x, positions, base)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    cos, sin = tables(x, positions, base)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2).to(x.dtype)
