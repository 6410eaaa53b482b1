import torch


def cis(positions, head_dim, base):
    i = torch.arange(0, head_dim, 2, device=positions.device).double()
    angle = torch.outer(positions.double(), base ** (-i / head_dim))
    return torch.polar(torch.ones_like(angle), angle)


def turn(pairs, positions, base):
    """pairs: (…, length, head_dim / 2, 2), as complex numbers times e^(i·angle)"""
    z = torch.view_as_complex(pairs.double().contiguous())
    z = z * cis(positions, 2 * pairs.shape[-2], base)
    return torch.view_as_real(z).to(pairs.dtype)


def rope_half_split(x, positions, base=10000):
    pairs = x.unflatten(-1, (2, -1)).transpose(-1, -2)
    return turn(pairs, positions, base).flatten(-2)


def rope_interleaved(x, positions, base=10000):
    pairs = x.unflatten(-1, (-1, 2))
    return turn(pairs, positions, base).flatten(-2)
