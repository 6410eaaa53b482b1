import torch


def get_angles(positions, dim, base):
    exponent = torch.arange(dim // 2, dtype=torch.float32, device=positions.device) * 2 / dim
    return positions.float()[:, None] * torch.pow(base, -exponent)[None, :]


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def rope_half_split(x, positions, base=10000):
    emb = get_angles(positions, x.shape[-1], base).repeat(1, 2)
    return x * emb.cos() + rotate_half(x) * emb.sin()


def rope_interleaved(x, positions, base=10000):
    angles = get_angles(positions, x.shape[-1], base)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    out = x.clone()
    even, odd = out[..., ::2], out[..., 1::2]
    out[..., ::2] = even * cos - odd * sin
    out[..., 1::2] = odd * cos + even * sin
    return out
