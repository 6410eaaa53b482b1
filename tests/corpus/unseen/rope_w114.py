from __future__ import annotations

import torch
from torch import Tensor


def rotary_tables(head_dim: int, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
    """cos 和 sin，形状都是 (length, head_dim / 2)"""
    inv_freq = 1.0 / base ** (torch.arange(0, head_dim, 2, device=positions.device) / head_dim)
    angles = torch.outer(inv_freq, positions.float())
    angles = angles.reshape(positions.numel(), -1)
    return angles.cos(), angles.sin()


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = rotary_tables(x.size(-1), positions, base)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = rotary_tables(x.size(-1), positions, base)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)
