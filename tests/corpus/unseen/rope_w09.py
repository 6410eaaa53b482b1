import torch


class _Rotary:
    """cos/sin for one call; positions are counted from the first row."""

    def __init__(self, positions, dim, base):
        pair = torch.arange(dim // 2, device=positions.device)
        freq = float(base) ** (-2.0 * pair / dim)
        steps = (positions - positions[:1]).to(freq.dtype)
        angle = torch.einsum("t,f->tf", steps, freq)
        self.cos, self.sin = angle.cos(), angle.sin()


def _rotate_half(x):
    a, b = torch.tensor_split(x, 2, dim=-1)
    return torch.cat([-b, a], -1)


def _rotate_pairs(x):
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([-b, a], -1).reshape(x.shape)


def rope_half_split(x, positions, base=10000):
    r = _Rotary(positions, x.shape[-1], base)
    cos, sin = r.cos.repeat(1, 2), r.sin.repeat(1, 2)
    return x * cos.to(x.dtype) + _rotate_half(x) * sin.to(x.dtype)


def rope_interleaved(x, positions, base=10000):
    r = _Rotary(positions, x.shape[-1], base)
    cos, sin = r.cos.repeat_interleave(2, 1), r.sin.repeat_interleave(2, 1)
    return x * cos.to(x.dtype) + _rotate_pairs(x) * sin.to(x.dtype)
