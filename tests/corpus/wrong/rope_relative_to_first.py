# wrong: rope rope-positions-shifted line 18
# fair: rope-positions-shifted 18, 19
import torch


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def rotate_pairs(x):
    return torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2)


def freqs(positions, dim, base):
    inv = base ** (-torch.arange(0, dim, 2, device=positions.device).float() / dim)
    # 只有相对位置才重要，从第一个位置数起
    t = positions - positions[0]
    return t.float()[:, None] * inv[None, :]


def rope_half_split(x, positions, base=10000):
    f = freqs(positions, x.shape[-1], base)
    f = torch.cat((f, f), dim=-1)
    return x * f.cos().to(x.dtype) + rotate_half(x) * f.sin().to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    f = freqs(positions, x.shape[-1], base).repeat_interleave(2, dim=-1)
    return x * f.cos().to(x.dtype) + rotate_pairs(x) * f.sin().to(x.dtype)
