# Meta's complex numbers; the halves are brought side by side first, and taken apart again
import torch


def precompute_freqs_cis(dim, positions, theta):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, device=positions.device)[: (dim // 2)].double() / dim))
    freqs = torch.outer(positions.double(), freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def rope_interleaved(x, positions, base=10000):
    wide = x.dtype if x.dtype == torch.float64 else torch.float32
    freqs_cis = precompute_freqs_cis(x.shape[-1], positions, base)
    freqs_cis = freqs_cis.to(torch.complex128 if wide == torch.float64 else torch.complex64)
    x_ = torch.view_as_complex(x.to(wide).reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis).flatten(-2).type_as(x)


def rope_half_split(x, positions, base=10000):
    dim = x.shape[-1]
    order = torch.arange(dim, device=x.device).view(2, -1).T.flatten()      # 0 d/2 1 d/2+1 ...
    back = torch.argsort(order)
    return rope_interleaved(x[..., order], positions, base=base)[..., back]
