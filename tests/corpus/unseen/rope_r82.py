from __future__ import annotations

import torch
from torch import Tensor


def _matrices(positions: Tensor, head_dim: int, base: float) -> Tensor:
    """(length, head_dim / 2, 2, 2): one rotation for each position and pair."""
    i = torch.arange(head_dim // 2, device=positions.device, dtype=torch.float64)
    angle = positions.to(torch.float64)[:, None] * torch.pow(float(base), -2 * i / head_dim)
    c, s = torch.cos(angle), torch.sin(angle)
    return torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)


def _rotate(pairs: Tensor, positions: Tensor, base: float) -> Tensor:
    """pairs (batch, heads, length, head_dim / 2, 2)"""
    wide = torch.promote_types(pairs.dtype, torch.float32)
    r = _matrices(positions, pairs.shape[-2] * 2, base).to(wide)
    return torch.einsum("tpij,bhtpj->bhtpi", r, pairs.to(wide)).to(pairs.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = x.unflatten(-1, (2, -1)).transpose(-1, -2)
    return _rotate(pairs, positions, base).transpose(-1, -2).flatten(-2)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    n = x.shape[-1]
    to_halves = torch.cat([torch.arange(0, n, 2), torch.arange(1, n, 2)]).to(x.device)
    back = to_halves.argsort()
    return rope_half_split(x[..., to_halves], positions, base)[..., back]
