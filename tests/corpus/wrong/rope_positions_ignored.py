# wrong: rope rope-positions-ignored line 8
# fair: rope-positions-ignored 8, 9
import torch


def build(x, base):
    dim = x.shape[-1]
    t = torch.arange(x.shape[2], device=x.device, dtype=torch.float32)
    f = torch.outer(t, 1.0 / base ** (torch.arange(0, dim, 2, device=x.device).float() / dim))
    return f.cos(), f.sin()


def rope_half_split(x, positions, base=10000):
    cos, sin = build(x, base)
    half = x.shape[-1] // 2
    x1, x2 = x[..., :half], x[..., half:]
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    cos, sin = build(x, base)
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return torch.stack((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1).flatten(3).to(x.dtype)
