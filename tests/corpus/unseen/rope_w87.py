import torch


def _tables(positions, head_dim, base):
    i = torch.arange(head_dim // 2, dtype=torch.float32, device=positions.device)
    freqs = 1.0 / (base ** (i / head_dim))
    theta = torch.outer(positions.float(), freqs)
    return theta.cos(), theta.sin()


def rope_half_split(x, positions, base=10000):
    cos, sin = _tables(positions, x.shape[-1], base)
    h = x.shape[-1] // 2
    x1, x2 = x[..., :h].float(), x[..., h:].float()
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    cos, sin = _tables(positions, x.shape[-1], base)
    x1, x2 = x[..., 0::2].float(), x[..., 1::2].float()
    return torch.stack((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1).flatten(-2).to(x.dtype)
