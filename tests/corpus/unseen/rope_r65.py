"""Both pairings as multiplication by exp(i * angle), lax.complex style."""
import torch


def _phases(positions, head_dim, base):
    exponent = torch.linspace(0, 1 - 2 / head_dim, head_dim // 2, device=positions.device)
    inv_freq = torch.pow(torch.as_tensor(base, dtype=torch.float32, device=positions.device), -exponent)
    angle = torch.outer(positions.to(torch.float32), inv_freq)
    return torch.polar(torch.ones_like(angle), angle)  # [t, d / 2]


def _rotate(x, positions, base, *, pair_axis):
    x32 = x.to(torch.promote_types(x.dtype, torch.float32))
    shape = (2, -1) if pair_axis == -2 else (-1, 2)
    a, b = x32.unflatten(-1, shape).unbind(pair_axis)
    z = torch.complex(a, b) * _phases(positions, x.shape[-1], base)
    return torch.stack((z.real, z.imag), dim=pair_axis).flatten(-2).to(x.dtype)


def rope_half_split(x, positions, base=10000):
    return _rotate(x, positions, base, pair_axis=-2)


def rope_interleaved(x, positions, base=10000):
    return _rotate(x, positions, base, pair_axis=-1)
