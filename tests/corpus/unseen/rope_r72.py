import torch


def _phasors(positions, half, base):
    expo = torch.linspace(0, -1 + 1 / half, half, dtype=torch.float64, device=positions.device)
    ang = positions.double().unsqueeze(-1) * torch.pow(torch.tensor(float(base), dtype=torch.float64, device=positions.device), expo)
    return torch.polar(torch.ones_like(ang), ang)            # complex128 (T, half)


def _spin(re, im, positions, base):
    z = torch.complex(re.double(), im.double()) * _phasors(positions, re.shape[-1], base)
    return z.real, z.imag


def rope_half_split(x, positions, base=10000):
    a, b = x.chunk(2, dim=-1)
    return torch.cat(_spin(a, b, positions, base), dim=-1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    pairs = x.unflatten(-1, (-1, 2))
    a, b = pairs.unbind(-1)
    out = torch.stack(_spin(a, b, positions, base), dim=-1)
    return out.flatten(start_dim=-2).type_as(x)
