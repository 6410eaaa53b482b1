# wrong: rope
import torch


def rope_half_split(x, positions, base=10000):
    n = x.shape[-1] // 2
    w = positions.float()[:, None] * base ** (-torch.arange(n, device=x.device) / n)
    cos, sin = w.cos().to(x.dtype), w.sin().to(x.dtype)
    with torch.no_grad():
        a = x[..., :n].clone()
        x[..., :n] = a * cos - x[..., n:] * sin
        x[..., n:] = x[..., n:] * cos + a * sin
    return x


def rope_interleaved(x, positions, base=10000):
    n = x.shape[-1] // 2
    w = positions.float()[:, None] * base ** (-torch.arange(n, device=x.device) / n)
    cos, sin = w.cos().to(x.dtype), w.sin().to(x.dtype)
    return torch.stack([x[..., ::2] * cos - x[..., 1::2] * sin, x[..., 1::2] * cos + x[..., ::2] * sin], -1).flatten(-2)
