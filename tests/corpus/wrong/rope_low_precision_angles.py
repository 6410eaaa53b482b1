# wrong: rope rope-low-precision line 14
# fair: rope-low-precision 12, 14
from typing import Tuple

import torch
from torch import Tensor


def build_cos_sin(x: Tensor, positions: Tensor, base: float) -> Tuple[Tensor, Tensor]:
    """Returns cos, sin of shape (length, head_dim // 2) in x.dtype."""
    head_dim = x.shape[-1]
    compute_dtype = x.dtype
    inv_freq = 1.0 / (base ** (torch.arange(0, head_dim, 2, dtype=compute_dtype, device=x.device) / head_dim))
    freqs = positions[:, None] * inv_freq[None, :]
    return freqs.cos().to(x.dtype), freqs.sin().to(x.dtype)


def rotate_half(x: Tensor) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def rotate_every_two(x: Tensor) -> Tensor:
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((-b, a), dim=-1).flatten(-2)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = build_cos_sin(x, positions, base)
    cos = torch.cat((cos, cos), dim=-1)
    sin = torch.cat((sin, sin), dim=-1)
    return x * cos + rotate_half(x) * sin


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = build_cos_sin(x, positions, base)
    cos = cos.repeat_interleave(2, dim=-1)
    sin = sin.repeat_interleave(2, dim=-1)
    return x * cos + rotate_every_two(x) * sin
