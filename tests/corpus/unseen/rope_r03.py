# complex-number version (à la Meta's llama)
import torch


def _phasors(positions, dim, base):
    k = torch.arange(0, dim, 2, device=positions.device, dtype=torch.float64)
    theta = torch.pow(torch.tensor(float(base), dtype=torch.float64, device=positions.device), -k / dim)
    ang = positions.to(torch.float64)[:, None] * theta[None, :]
    return torch.polar(torch.ones_like(ang), ang)


def rope_interleaved(x, positions, base=10000):
    z = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    z = z * _phasors(positions, x.shape[-1], base)
    return torch.view_as_real(z).flatten(-2).to(x.dtype)


def rope_half_split(x, positions, base=10000):
    re, im = x.double().chunk(2, dim=-1)
    z = torch.complex(re, im) * _phasors(positions, x.shape[-1], base)
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)
