# wrong: rope rope-wrong-pairing line 9
# fair: rope-wrong-pairing 9, 10, 24, 25, 26
import torch


def rotate_half(x):
    """Used by both: only the tables differ."""
    half = x.shape[-1] // 2
    a = x[..., :half]
    b = x[..., half:]
    return torch.cat([-b, a], dim=-1)


def rope_half_split(x, positions, base=10000):
    d = x.shape[-1]
    inv = base ** (-torch.arange(0, d, 2, device=x.device, dtype=torch.float32) / d)
    emb = torch.cat([positions[:, None] * inv] * 2, dim=-1)
    return (x * emb.cos() + rotate_half(x) * emb.sin()).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    d = x.shape[-1]
    inv = base ** (-torch.arange(0, d, 2, device=x.device, dtype=torch.float32) / d)
    emb = positions[:, None] * inv
    emb = torch.cat([emb, emb], dim=-1)
    return (x * emb.cos() + rotate_half(x) * emb.sin()).to(x.dtype)
