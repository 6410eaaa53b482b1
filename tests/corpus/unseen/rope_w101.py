import torch


def build_tables(x, positions, base):
    dim = x.shape[-1]
    inv_freq = 1.0 / base ** (torch.arange(0, dim, 2, device=x.device, dtype=torch.float32) / dim)
    angles = torch.einsum("t,f->tf", positions.float(), inv_freq)
    angles = angles.to(x.dtype)
    return angles.cos(), angles.sin()


def rope_half_split(x, positions, base=10000):
    cos, sin = build_tables(x, positions, base)
    h = x.shape[-1] // 2
    a, b = x[..., :h], x[..., h:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def rope_interleaved(x, positions, base=10000):
    cos, sin = build_tables(x, positions, base)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).reshape(x.shape)
