from __future__ import annotations

import torch
from torch import Tensor


def _angles(positions: Tensor, dim: int, base: float) -> Tensor:
    i = torch.arange(dim // 2, device=positions.device, dtype=torch.float64)
    return positions[:, None].to(torch.float64) * base ** (-2 * i / dim)


def _table(positions: Tensor, x: Tensor, base: float) -> tuple[Tensor, Tensor]:
    theta = _angles(positions, x.shape[-1], base)
    theta = torch.cat([theta, theta], dim=-1)
    return theta.cos().to(x.dtype), theta.sin().to(x.dtype)


def _turn_halves(x: Tensor) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


def _turn_neighbours(x: Tensor) -> Tensor:
    return torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _table(positions, x, base)
    return x * cos + _turn_halves(x) * sin


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _table(positions, x, base)
    return x * cos + _turn_neighbours(x) * sin
