from __future__ import annotations

import torch
from torch import Tensor


def _cos_sin(x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
    head_dim = x.shape[-1]
    i = torch.arange(0, head_dim, 2, device=x.device, dtype=torch.float64)
    frequency = base ** (-i / head_dim)
    first = positions[0]
    steps = first + torch.arange(x.shape[-2], device=x.device, dtype=torch.float64)
    angle = torch.outer(steps, frequency)
    return angle.cos().to(x.dtype), angle.sin().to(x.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _cos_sin(x, positions, base)
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _cos_sin(x, positions, base)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-1).flatten(-2)
