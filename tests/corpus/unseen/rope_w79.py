import torch


def _cos_sin(positions, dim, base):
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, device=positions.device).float() / dim))
    freqs = torch.outer(positions.float(), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    return emb.cos(), emb.sin()


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def rotate_pairs(x):
    x1 = x[..., ::2]
    x2 = x[..., 1::2]
    return torch.stack((-x2, x1), dim=-1).flatten(-2)


def rope_half_split(x, positions, base=10000):
    cos, sin = _cos_sin(positions, x.shape[-1], base)
    return (x * cos + rotate_half(x) * sin).type_as(x)


def rope_interleaved(x, positions, base=10000):
    cos, sin = _cos_sin(positions, x.shape[-1], base)
    return (x * cos + rotate_pairs(x) * sin).type_as(x)
