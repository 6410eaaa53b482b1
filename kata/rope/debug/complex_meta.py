import torch


def cis(positions, dim, theta):
    freqs = 1.0 / (
        theta ** (torch.arange(0, dim, 2, device=positions.device)[: (dim // 2)].float() / dim)
    )
    freqs = torch.outer(positions.float(), freqs)
    return torch.polar(torch.ones_like(freqs), freqs)  # complex64


def rope_interleaved(x, positions, base=10000.0):
    x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    out = torch.view_as_real(x_ * cis(positions, x.shape[-1], base)).flatten(3)
    return out.type_as(x)


def rope_half_split(x, positions, base=10000.0):
    a, b = x.float().chunk(2, -1)
    out = torch.complex(a, b) * cis(positions, x.shape[-1], base)
    return torch.cat([out.real, out.imag], -1).type_as(x)
