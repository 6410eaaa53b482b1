# attn-kata: rope
from __future__ import annotations

import math

import torch
from torch import Tensor


def _table(positions: Tensor, half: int, base: float) -> tuple[Tensor, Tensor]:
    step = torch.arange(half, device=positions.device, dtype=torch.float32)
    freq = torch.exp(step * (-math.log(base) / half))
    theta = positions.to(torch.float32).unsqueeze(1) * freq.unsqueeze(0)
    return torch.cos(theta), torch.sin(theta)


def _rotate_into(x: Tensor, first: slice, second: slice, positions: Tensor, base: float) -> Tensor:
    cos, sin = _table(positions, x.size(-1) // 2, base)
    a, b = x[..., first], x[..., second]
    out = torch.empty_like(x)
    out[..., first] = (a * cos - b * sin).to(x.dtype)
    out[..., second] = (b * cos + a * sin).to(x.dtype)
    return out


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    half = x.size(-1) // 2
    return _rotate_into(x, slice(0, half), slice(half, None), positions, base)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _rotate_into(x, slice(0, None, 2), slice(1, None, 2), positions, base)
