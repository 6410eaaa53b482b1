# attn-kata: rope
from __future__ import annotations

import torch
from torch import Tensor


def _tables(x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
    dim = x.size(-1)
    freq = base ** (-torch.arange(0, dim, 2, device=x.device, dtype=torch.float32) / dim)
    angle = torch.outer(positions.to(torch.float32), freq)
    return angle.cos().to(x.dtype), angle.sin().to(x.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _tables(x, positions, base)
    h = x.size(-1) // 2
    out = x.clone()
    out[..., :h] = out[..., :h] * cos - out[..., h:] * sin
    out[..., h:] = out[..., h:] * cos + out[..., :h] * sin
    return out


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _tables(x, positions, base)
    even, odd = x[..., 0::2], x[..., 1::2]
    out = x.clone()
    out[..., 0::2] = even * cos - odd * sin
    out[..., 1::2] = odd * cos + even * sin
    return out
