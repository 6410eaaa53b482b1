import torch


# precompute cache to max, index with positions; returns float32-compatible
def _cache(n, d, base, dev):
    inv = 1.0 / (base ** (torch.arange(0, d, 2, device=dev).float() / d))
    t = torch.arange(n, device=dev, dtype=inv.dtype)
    return torch.einsum("i,j->ij", t, inv)


def rope_half_split(x, positions, base=10000.0):
    f = _cache(8192, x.shape[-1], base, x.device)[positions]
    emb = torch.cat((f, f), dim=-1)[None, None]
    x1, x2 = x.split(x.shape[-1] // 2, dim=-1)
    return (x * emb.cos() + torch.cat((-x2, x1), dim=-1) * emb.sin()).to(x.dtype)


def rope_interleaved(x, positions, base=10000.0):
    f = _cache(8192, x.shape[-1], base, x.device)[positions]
    c = f.cos()[None, None, :, :, None]
    s = f.sin()[None, None, :, :, None]
    xs = x.reshape(*x.shape[:-1], -1, 2)
    out = xs * c + torch.stack([-xs[..., 1], xs[..., 0]], -1) * s
    return out.reshape_as(x).to(x.dtype)
