from __future__ import annotations

import torch
from torch import Tensor


class _Rope:
    def __init__(self, x: Tensor, positions: Tensor, base: float) -> None:
        half = x.shape[-1] // 2
        exponent = torch.arange(half, dtype=torch.float32, device=x.device) / half
        self.theta = torch.einsum("t,i->ti", positions.to(x).float(), base**-exponent)
        self.cos, self.sin = self.theta.cos().to(x.dtype), self.theta.sin().to(x.dtype)

    def turn(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        return a * self.cos - b * self.sin, b * self.cos + a * self.sin


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return torch.cat(_Rope(x, positions, base).turn(*x.chunk(2, dim=-1)), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return torch.stack(_Rope(x, positions, base).turn(x[..., 0::2], x[..., 1::2]), dim=-1).flatten(-2)
