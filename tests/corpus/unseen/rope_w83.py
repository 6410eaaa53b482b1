import torch

_freqs = {}


def inv_freq(head_dim, base, device):
    """base^(-2i/d) for each pair, made once"""
    key = (head_dim, str(device))
    if key not in _freqs:
        exponent = torch.arange(0, head_dim, 2, device=device).double() / head_dim
        _freqs[key] = 1.0 / (base ** exponent)
    return _freqs[key]


def tables(x, positions, base):
    theta = positions.double()[:, None] * inv_freq(x.shape[-1], base, x.device)[None, :]
    return torch.cos(theta).to(x.dtype), torch.sin(theta).to(x.dtype)


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat([-x2, x1], dim=-1)


def rotate_every_two(x):
    x1, x2 = x[..., ::2], x[..., 1::2]
    return torch.stack([-x2, x1], dim=-1).reshape(x.shape)


def rope_half_split(x, positions, base=10000):
    cos, sin = tables(x, positions, base)
    return x * torch.cat([cos, cos], -1) + rotate_half(x) * torch.cat([sin, sin], -1)


def rope_interleaved(x, positions, base=10000):
    cos, sin = tables(x, positions, base)
    return x * cos.repeat_interleave(2, -1) + rotate_every_two(x) * sin.repeat_interleave(2, -1)
