import torch


def upcast(x):
    return x if x.dtype == torch.float64 else x.float()


def build_table(x, positions, base):
    # x: (batch, heads, length, head_dim)
    length, dim = x.shape[-2], x.shape[-1]
    freqs = 1.0 / (base ** (torch.arange(0, dim, 2, device=x.device)[: (dim // 2)].float() / dim))
    t = torch.arange(length, device=x.device).float()
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)  # complex64


def rope_interleaved(x, positions, base=10000):
    freqs_cis = build_table(x, positions, base)
    x_ = torch.view_as_complex(upcast(x).reshape(*x.shape[:-1], -1, 2))
    x_out = torch.view_as_real(x_ * freqs_cis).flatten(-2)
    return x_out.type_as(x)


def rope_half_split(x, positions, base=10000):
    freqs_cis = build_table(x, positions, base)
    a, b = upcast(x).chunk(2, dim=-1)
    x_ = torch.complex(a, b) * freqs_cis
    return torch.cat((x_.real, x_.imag), dim=-1).type_as(x)
