# wrong: rope rope-uses-turned line 18
import torch


def _w(x, pos, base):
    n = x.size(-1)
    inv = torch.tensor([base ** (-k / n) for k in range(0, n, 2)], device=x.device)
    w = pos.float()[:, None] * inv
    return w.cos().to(x.dtype), w.sin().to(x.dtype)


def rope_half_split(x, positions, base=10000):
    c, s = _w(x, positions, base)
    n = x.size(-1) // 2
    out = x.clone()
    out[..., :n] = out[..., :n] * c - out[..., n:] * s
    # the first half is new by now
    out[..., n:] = out[..., n:] * c + out[..., :n] * s
    return out


def rope_interleaved(x, positions, base=10000):
    c, s = _w(x, positions, base)
    a, b = x[..., ::2], x[..., 1::2]
    a, b = a * c - b * s, b * c + a * s
    return torch.stack((a, b), -1).flatten(-2)
