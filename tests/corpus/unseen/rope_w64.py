from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor

_TABLES: dict[tuple, tuple[Tensor, Tensor]] = {}

# how one number of (length, head_dim / 2) comes to stand at both places of its pair
SPREAD: dict[str, Callable[[Tensor], Tensor]] = {
    "half": lambda t: torch.cat((t, t), dim=-1),
    "pairs": lambda t: t.repeat_interleave(2, dim=-1),
}

# (a, b) -> (-b, a) in either layout
QUARTER: dict[str, Callable[[Tensor], Tensor]] = {
    "half": lambda x: torch.cat((-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]), -1),
    "pairs": lambda x: torch.stack((-x[..., 1::2], x[..., 0::2]), -1).flatten(-2),
}


def tables(positions: Tensor, head_dim: int, base: float) -> tuple[Tensor, Tensor]:
    """cos and sin, made once for the same places: every layer asks for the same ones."""
    where = (str(positions.device), tuple(positions.tolist()), head_dim)
    if where not in _TABLES:
        even = torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device)
        inv_freq = 1.0 / (base ** (even / head_dim))
        angles = positions.float()[:, None] * inv_freq[None, :]
        _TABLES[where] = (angles.cos(), angles.sin())
    return _TABLES[where]


def rotate(x: Tensor, positions: Tensor, base: float, layout: str) -> Tensor:
    cos, sin = (
        SPREAD[layout](t).to(x.dtype) for t in tables(positions, x.shape[-1], base)
    )
    return x * cos + QUARTER[layout](x) * sin


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return rotate(x, positions, base, "half")


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return rotate(x, positions, base, "pairs")
