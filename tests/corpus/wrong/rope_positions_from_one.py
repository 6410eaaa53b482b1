# wrong: rope rope-positions-shifted line 7
# fair: rope-positions-shifted 7, 8
import torch


def complex_table(positions, d, base):
    m = positions.double() + 1  # m counts from 1
    theta = m[:, None] * base ** (-torch.arange(0, d, 2, device=positions.device, dtype=torch.float64) / d)
    return torch.polar(torch.ones_like(theta), theta)


def rope_interleaved(x, positions, base=10000):
    z = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(z * complex_table(positions, x.shape[-1], base)).flatten(-2).to(x.dtype)


def rope_half_split(x, positions, base=10000):
    a, b = x.double().chunk(2, -1)
    z = torch.complex(a, b) * complex_table(positions, x.shape[-1], base)
    return torch.cat((z.real, z.imag), -1).to(x.dtype)
