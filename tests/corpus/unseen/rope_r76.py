from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
from torch import Tensor


@lru_cache(maxsize=None)
def inverse_frequencies(head_dim: int, base: float) -> tuple[float, ...]:
    exponents = np.arange(0, head_dim, 2, dtype=np.float64) / head_dim
    return tuple((float(base) ** -exponents).tolist())


def angles(positions: Tensor, head_dim: int, base: float) -> Tensor:
    freqs = torch.tensor(inverse_frequencies(head_dim, base), dtype=torch.float64, device=positions.device)
    return torch.outer(positions.double(), freqs)  # (length, head_dim / 2)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    theta = angles(positions, x.shape[-1], base)
    cos, sin = theta.cos().to(x.dtype), theta.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    wide = x.double() if x.dtype == torch.float64 else x.float()
    theta = angles(positions, x.shape[-1], base)
    turn = torch.polar(torch.ones_like(theta), theta)
    if wide.dtype == torch.float32:
        turn = turn.to(torch.complex64)
    pairs = torch.view_as_complex(wide.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2).to(x.dtype)
