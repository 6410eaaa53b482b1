from __future__ import annotations

import torch
from torch import Tensor


def _cos_sin(positions: Tensor, head_dim: int, base: float) -> tuple[Tensor, Tensor]:
    idx = torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device)
    theta = base ** (-idx / head_dim)
    angle = positions[:, None].float() * theta[None, :]
    return angle.cos(), angle.sin()


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _cos_sin(positions, x.size(-1), base)
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _cos_sin(positions, x.size(-1), base)
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    # 偶数位和奇数位组成一对
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
