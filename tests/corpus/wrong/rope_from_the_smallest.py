# wrong: rope rope-positions-shifted line 11
from __future__ import annotations

import torch
from torch import Tensor


def _tables(positions: Tensor, head_dim: int, base: float) -> tuple[Tensor, Tensor]:
    exponent = torch.arange(0, head_dim, 2, device=positions.device).double() / head_dim
    inverse = torch.pow(torch.tensor(float(base), device=positions.device, dtype=torch.float64), -exponent)
    steps = (positions - positions.min()).double()
    angle = torch.outer(steps, inverse)
    return angle.cos(), angle.sin()


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = (t.to(x.dtype) for t in _tables(positions, x.shape[-1], base))
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = (t.to(x.dtype) for t in _tables(positions, x.shape[-1], base))
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-1).flatten(-2)
