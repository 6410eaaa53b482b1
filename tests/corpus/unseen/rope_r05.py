import torch


def _phasors(positions, head_dim, base):
    """exp(i * angle), complex128, (length, head_dim // 2)."""
    exponent = torch.linspace(0, head_dim - 2, head_dim // 2, dtype=torch.float64, device=positions.device)
    theta = positions.double().unsqueeze(1) * torch.pow(float(base), -exponent / head_dim)
    return torch.polar(torch.ones_like(theta), theta)


def _wide(x):
    return x if x.dtype == torch.float64 else x.float()


def rope_half_split(x, positions, base=10000):
    wide = _wide(x)
    first, second = wide.chunk(2, dim=-1)
    turn = _phasors(positions, x.shape[-1], base).to(torch.complex(first, second).dtype)
    z = torch.complex(first, second) * turn
    return torch.cat((z.real, z.imag), dim=-1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    pairs = _wide(x).unflatten(-1, (-1, 2)).contiguous()
    z = torch.view_as_complex(pairs)
    z = z * _phasors(positions, x.shape[-1], base).to(z.dtype)
    return torch.view_as_real(z).flatten(-2).to(x.dtype)
