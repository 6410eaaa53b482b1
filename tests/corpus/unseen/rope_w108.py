import torch


def build_cos_sin(positions, head_dim, base):
    inv_freq = 1.0 / (base ** (torch.arange(0, head_dim, 2, device=positions.device).float() / head_dim))
    freqs = torch.outer(positions.float(), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    return emb.cos(), emb.sin()


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def rotate_every_two(x):
    x1, x2 = x[..., ::2], x[..., 1::2]
    return torch.stack((-x2, x1), dim=-1).flatten(-2)


def rope_half_split(x, positions, base=10000):
    cos, sin = build_cos_sin(positions, x.shape[-1], base)
    return (x * cos + rotate_half(x) * sin).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    cos, sin = build_cos_sin(positions, x.shape[-1], base)
    return (x * cos + rotate_every_two(x) * sin).to(x.dtype)
