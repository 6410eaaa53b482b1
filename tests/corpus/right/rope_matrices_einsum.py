# right: rope
from __future__ import annotations

import torch
from torch import Tensor


def rotations(positions: Tensor, pairs: int, base: float) -> Tensor:
    """One 2 by 2 matrix for each position and pair: (length, pairs, 2, 2)."""
    i = torch.arange(pairs, dtype=torch.float64, device=positions.device)
    theta = positions.double()[:, None] * torch.exp(-i / pairs * torch.log(torch.tensor(float(base), dtype=torch.float64)))
    c, s = torch.cos(theta), torch.sin(theta)
    return torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    R = rotations(positions, x.size(-1) // 2, base).to(x.dtype)
    z = x.reshape(*x.shape[:-1], x.size(-1) // 2, 2)
    return torch.einsum("tpij,bhtpj->bhtpi", R, z).reshape(x.shape)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    R = rotations(positions, x.size(-1) // 2, base).to(x.dtype)
    z = x.reshape(*x.shape[:-1], 2, x.size(-1) // 2)
    return torch.einsum("tpij,bhtjp->bhtip", R, z).reshape(x.shape)
