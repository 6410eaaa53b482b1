# wrong: rope rope-wrong-pairing line 13
# fair: rope-wrong-pairing 13, 14, 15
import torch


def angles(x, positions, base):
    inv = 1.0 / base ** (torch.arange(0, x.shape[-1], 2, device=x.device).float() / x.shape[-1])
    return torch.outer(positions.float(), inv)


def rope_half_split(x, positions, base=10000):
    w = angles(x, positions, base)
    x1, x2 = x[..., ::2], x[..., 1::2]
    y = torch.stack([x1 * w.cos() - x2 * w.sin(), x2 * w.cos() + x1 * w.sin()], dim=-1)
    return y.flatten(-2).to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    w = angles(x, positions, base)
    x1, x2 = x[..., ::2], x[..., 1::2]
    y = torch.stack([x1 * w.cos() - x2 * w.sin(), x2 * w.cos() + x1 * w.sin()], dim=-1)
    return y.flatten(-2).to(x.dtype)
