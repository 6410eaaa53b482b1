from __future__ import annotations

import torch
from torch import Tensor


class RotaryTable:
    """A table of cos and sin that grows when a longer text comes; rows are places."""

    def __init__(self, head_dim: int, base: float, device: torch.device) -> None:
        idx = torch.arange(0, head_dim, 2, dtype=torch.float32, device=device)
        self.inv_freq = base ** (-idx / head_dim)
        self.capacity = 0

    def reserve(self, needed: int) -> None:
        if needed <= self.capacity:
            return
        self.capacity = 1 << (needed - 1).bit_length()
        t = torch.arange(self.capacity, dtype=torch.float32, device=self.inv_freq.device)
        angles = torch.outer(t, self.inv_freq)
        self.cos, self.sin = angles.cos(), angles.sin()

    def rows(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        start = int(positions[0])
        stop = start + positions.shape[0]
        self.reserve(stop)
        return self.cos[start:stop], self.sin[start:stop]


_POOL: dict[tuple, RotaryTable] = {}


def _lookup(x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
    key = (x.shape[-1], float(base), x.device)
    if key not in _POOL:
        _POOL[key] = RotaryTable(x.shape[-1], float(base), x.device)
    cos, sin = _POOL[key].rows(positions)
    return cos.to(x.dtype), sin.to(x.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _lookup(x, positions, base)
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _lookup(x, positions, base)
    a, b = x[..., 0::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., 0::2] = a * cos - b * sin
    out[..., 1::2] = b * cos + a * sin
    return out
