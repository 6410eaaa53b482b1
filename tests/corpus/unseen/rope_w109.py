from __future__ import annotations

import torch
from torch import Tensor


def rotations(positions: Tensor, pairs: int, base: float, dtype: torch.dtype) -> Tensor:
    """One matrix [[cos, -sin], [sin, cos]] for each position and pair: (length, pairs, 2, 2)."""
    freq = base ** (-torch.arange(pairs, device=positions.device, dtype=dtype) / pairs)
    theta = positions.to(dtype)[:, None] * freq
    c, s = theta.cos(), theta.sin()
    return torch.stack((c, -s, s, c), dim=-1).unflatten(-1, (2, 2))


def _apply(pairs: Tensor, positions: Tensor, base: float) -> Tensor:
    """pairs is (batch, heads, length, pairs, 2)."""
    dtype = torch.promote_types(pairs.dtype, torch.float32)
    R = rotations(positions, pairs.shape[-2], base, dtype)
    return torch.einsum("tpij,bhtpi->bhtpj", R, pairs.to(dtype)).to(pairs.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = x.unflatten(-1, (2, -1)).mT
    return _apply(pairs, positions, base).mT.flatten(-2)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _apply(x.unflatten(-1, (-1, 2)), positions, base).flatten(-2)
