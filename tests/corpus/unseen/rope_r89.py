from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor


def _spin(positions: Tensor, half: int, base: float) -> Tensor:
    """e^(i * angle), (length, half), complex128."""
    exponents = torch.arange(half, dtype=torch.float64, device=positions.device).neg_() / half
    angles = torch.outer(positions.double(), torch.pow(float(base), exponents))
    return torch.polar(torch.ones_like(angles), angles)


def _rope(split: Callable[[Tensor], Tensor], join: Callable[[Tensor], Tensor]):
    """A rotation from two views: (..., head_dim) -> (..., head_dim / 2, 2) and back."""

    def rotate(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        pairs = torch.view_as_complex(split(wide).contiguous())
        turned = pairs * _spin(positions, pairs.shape[-1], base).to(pairs.dtype)
        return join(torch.view_as_real(turned)).to(x.dtype)

    return rotate


rope_half_split = _rope(
    split=lambda x: x.unflatten(-1, (2, -1)).transpose(-1, -2),
    join=lambda pairs: pairs.transpose(-1, -2).flatten(-2),
)
rope_interleaved = _rope(
    split=lambda x: x.unflatten(-1, (-1, 2)),
    join=lambda pairs: pairs.flatten(-2),
)
