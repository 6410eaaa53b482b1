import torch


def cs(p, d, base):
    f = 1.0 / base ** (torch.arange(d // 2, device=p.device).float() / d)
    a = p.float()[:, None] * f[None, :]
    return a.cos(), a.sin()


def rope_half_split(x, positions, base=10000):
    d = x.size(-1)
    c, s = cs(positions, d, base)
    c, s = c.to(x.dtype), s.to(x.dtype)
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return torch.cat([a * c - b * s, b * c + a * s], -1)


def rope_interleaved(x, positions, base=10000):
    c, s = cs(positions, x.size(-1), base)
    c, s = c.to(x.dtype), s.to(x.dtype)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * c - b * s, b * c + a * s], -1).reshape(x.shape)
