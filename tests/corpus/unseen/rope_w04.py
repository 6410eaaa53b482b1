# attn-kata: rope
from __future__ import annotations

import torch
from torch import Tensor


def _to_halves(x: Tensor) -> Tensor:
    """(…, a0, b0, a1, b1, …) -> (…, a0, a1, …, b0, b1, …)"""
    return torch.cat([x[..., 0::2], x[..., 1::2]], dim=-1)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    """Rotates the pairs (i, i + head_dim/2)."""
    head_dim = x.size(-1)
    assert head_dim % 2 == 0, "head_dim must be even"
    assert positions.dim() == 1 and positions.numel() == x.size(-2), "one position for each row"
    half = head_dim // 2
    index = torch.arange(half, dtype=torch.float32, device=x.device)
    angles = positions.to(torch.float32).unsqueeze(-1) * torch.pow(float(base), -2.0 * index / head_dim)
    cos = torch.cos(angles).to(x.dtype)          # (length, half)
    sin = torch.sin(angles).to(x.dtype)
    a, b = torch.split(x, half, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    """Rotates the pairs (2i, 2i + 1) by way of the halves."""
    return rope_half_split(_to_halves(x), positions, base)
