# wrong: rope rope-tables-misaligned line 17
# fair: rope-tables-misaligned 7, 8, 9, 17, 18
import torch


def tables(positions, dim, base):
    inv = 1 / base ** (torch.arange(0, dim, 2, device=positions.device) / dim)
    emb = (positions[:, None] * inv[None, :]).repeat_interleave(2, dim=-1)
    return emb.cos(), emb.sin()


def rope_half_split(x, positions, base=10000):
    cos, sin = tables(positions, x.shape[-1], base)
    h = x.shape[-1] // 2
    rotated = torch.cat([-x[..., h:], x[..., :h]], dim=-1)
    # the same tables as below
    out = x * cos + rotated * sin
    return out.to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    cos, sin = tables(positions, x.shape[-1], base)
    rotated = torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).reshape(x.shape)
    return (x * cos + rotated * sin).to(x.dtype)
