import torch


def _angles(x, positions, base):
    d = x.shape[-1]
    inv = base ** (-torch.arange(0, d, 2, device=x.device, dtype=torch.float32) / d)
    a = positions.float()[:, None] * inv[None]
    return a.cos(), a.sin()


def _turn(a, b, cos, sin):
    a = a * cos - b * sin
    b = b * cos + a * sin
    return a, b


def rope_half_split(x, positions, base=10000):
    cos, sin = _angles(x, positions, base)
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    cos, sin = _angles(x, positions, base)
    a, b = _turn(x[..., 0::2], x[..., 1::2], cos, sin)
    return torch.stack((a, b), -1).flatten(-2).to(x.dtype)
