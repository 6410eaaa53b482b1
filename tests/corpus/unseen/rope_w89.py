# attn-kata: rope
import torch


def rotate_half(x):
    x1, x2 = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def rotate_every_two(x):
    x1 = x[..., ::2]
    x2 = x[..., 1::2]
    return torch.stack((-x2, x1), dim=-1).flatten(-2)


def freqs(positions, dim, base):
    inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, device=positions.device).float() / dim))
    return torch.outer(positions.float(), inv_freq)


def rope_half_split(x, positions, base=10000):
    f = freqs(positions, x.shape[-1], base)
    emb = torch.cat((f, f), dim=-1)
    cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)
    return x * cos + rotate_half(x) * sin


def rope_interleaved(x, positions, base=10000):
    f = freqs(positions, x.shape[-1], base)
    emb = torch.cat((f, f), dim=-1)
    cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)
    return x * cos + rotate_every_two(x) * sin
