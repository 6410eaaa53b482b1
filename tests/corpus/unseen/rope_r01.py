# attn-kata: rope
from __future__ import annotations

import torch
from torch import Tensor


def _phases(positions: Tensor, head_dim: int, base: float) -> Tensor:
    pair = torch.arange(0, head_dim, 2, dtype=torch.float64, device=positions.device)
    angle = torch.outer(positions.double(), float(base) ** (-pair / head_dim))
    return torch.polar(torch.ones_like(angle), angle)


def _turn(pairs: Tensor, positions: Tensor, base: float) -> Tensor:
    """pairs: (batch, heads, length, head_dim/2, 2)."""
    z = torch.view_as_complex(pairs.double().contiguous())
    z = z * _phases(positions, 2 * pairs.shape[-2], base)
    return torch.view_as_real(z).to(pairs.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = x.unflatten(-1, (2, -1)).transpose(-1, -2)
    return _turn(pairs, positions, base).transpose(-1, -2).flatten(-2)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _turn(x.unflatten(-1, (-1, 2)), positions, base).flatten(-2)
