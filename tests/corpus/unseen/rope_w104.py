from __future__ import annotations

import torch
from torch import Tensor


def _cos_sin(positions: Tensor, head_dim: int, base: float) -> tuple[Tensor, Tensor]:
    exponent = torch.arange(0, head_dim, 2, device=positions.device, dtype=torch.float32) / head_dim
    inv_freq = 1.0 / base**exponent
    angles = positions[:, None] @ inv_freq[None, :]
    return angles.cos(), angles.sin()


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = (t.to(x.dtype) for t in _cos_sin(positions, x.shape[-1], base))
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = (t.to(x.dtype) for t in _cos_sin(positions, x.shape[-1], base))
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)
