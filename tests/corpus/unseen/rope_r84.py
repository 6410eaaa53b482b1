from __future__ import annotations

import torch
from torch import Tensor


def _matrices(positions: Tensor, pairs: int, base: float) -> Tensor:
    """(length, pairs, 2, 2): one rotation for each place and pair, made in float64"""
    i = torch.arange(pairs, device=positions.device, dtype=torch.float64)
    angle = positions.double()[:, None] * float(base) ** (-i / pairs)
    c, s = torch.cos(angle), torch.sin(angle)
    return torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)


def _turn(pairs: Tensor, positions: Tensor, base: float) -> Tensor:
    # pairs (batch, heads, length, pairs, 2)
    wide = torch.promote_types(pairs.dtype, torch.float32)
    turn = _matrices(positions, pairs.size(-2), base).to(wide)
    return torch.einsum("lpij,bhlpj->bhlpi", turn, pairs.to(wide)).to(pairs.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    a_and_b = x.unflatten(-1, (2, -1)).mT                 # (2, pairs) -> (pairs, 2)
    return _turn(a_and_b, positions, base).mT.flatten(-2)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _turn(x.unflatten(-1, (-1, 2)), positions, base).flatten(-2)
