from __future__ import annotations

import torch
from torch import Tensor


def tables(positions: Tensor, head_dim: int, base: float) -> tuple[Tensor, Tensor]:
    exponent = torch.arange(0, head_dim, 2, device=positions.device).float() / head_dim
    angles = positions.float()[:, None] / base**exponent
    return angles.cos(), angles.sin()


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = tables(positions, x.shape[-1], base)
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = (table.to(x.dtype) for table in tables(positions, x.shape[-1], base))
    out = x.clone()
    a, b = out[..., 0::2], out[..., 1::2]
    out[..., 0::2] = a * cos - b * sin
    out[..., 1::2] = b * cos + a * sin
    return out
