import torch


def _cos_sin(positions, dim, base):
    inv_freq = 1.0 / base ** (torch.arange(0, dim, 2, device=positions.device).float() / dim)
    ang = positions.float()[:, None] * inv_freq
    return ang.cos(), ang.sin()


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def rotate_every_two(x):
    return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)


def rope_half_split(x, positions, base=10000):
    cos, sin = _cos_sin(positions, x.shape[-1], base)
    cos = torch.cat((cos, cos), dim=-1)
    sin = torch.cat((sin, sin), dim=-1)
    return x * cos + rotate_half(x) * sin


def rope_interleaved(x, positions, base=10000):
    cos, sin = _cos_sin(positions, x.shape[-1], base)
    cos = cos.repeat_interleave(2, dim=-1)
    sin = torch.cat((sin, sin), dim=-1)
    return x * cos + rotate_every_two(x) * sin
