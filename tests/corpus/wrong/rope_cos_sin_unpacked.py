# wrong: rope rope-cos-sin-swapped line 16
# fair: rope-cos-sin-swapped 9, 16, 17, 22, 23, 24
import torch


def tables(length_positions, dim, base):
    steps = torch.arange(0, dim, 2, device=length_positions.device) / dim
    theta = torch.outer(length_positions.float(), base ** -steps)
    return theta.sin(), theta.cos()


def rope_half_split(x, positions, base=10000):
    cos, sin = tables(positions, x.shape[-1], base)
    a, b = x.chunk(2, -1)
    return torch.cat([
        a * cos - b * sin,
        b * cos + a * sin], -1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    cos, sin = tables(positions, x.shape[-1], base)
    a, b = x[..., ::2], x[..., 1::2]
    y = [a * cos - b * sin, b * cos + a * sin]
    return torch.stack(y, -1).flatten(-2).to(x.dtype)
