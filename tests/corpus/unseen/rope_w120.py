import torch


def _tables(x, positions, base):
    dim = x.size(-1)
    inv_freq = base ** -(torch.arange(0, dim, 2).to(x) / dim)
    freqs = torch.einsum("p,f->pf", positions.type_as(x), inv_freq)
    return freqs.cos(), freqs.sin()


def rope_half_split(x, positions, base=10000):
    cos, sin = _tables(x, positions, base)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def rope_interleaved(x, positions, base=10000):
    cos, sin = _tables(x, positions, base)
    a, b = x[..., 0::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., 0::2] = a * cos - b * sin
    out[..., 1::2] = b * cos + a * sin
    return out
