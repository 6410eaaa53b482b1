import torch


def sincos(positions, dim, base, side_by_side=False):
    """(length, dim) sines and cosines"""
    i = torch.arange(dim // 2, dtype=torch.float32, device=positions.device)
    freq = torch.exp(i * (-2.0 / dim) * torch.log(torch.tensor(float(base), device=positions.device)))
    theta = torch.einsum("t,i->ti", positions.to(torch.float32), freq)
    theta = theta.repeat(1, 2) if side_by_side else torch.cat([theta, theta], -1)
    return theta.sin(), theta.cos()


def rope_half_split(x, positions, base=10000):
    sin, cos = sincos(positions, x.shape[-1], base)
    lo, hi = x.chunk(2, dim=-1)
    turned = torch.cat([-hi, lo], -1)
    return x * cos + turned * sin


def rope_interleaved(x, positions, base=10000):
    sin, cos = sincos(positions, x.shape[-1], base, side_by_side=True)
    even, odd = x[..., ::2], x[..., 1::2]
    turned = torch.stack([-odd, even], -1).flatten(-2)
    return x * cos + turned * sin
