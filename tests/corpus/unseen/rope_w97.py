from __future__ import annotations

import math

import torch
from torch import Tensor


class Rotary:
    def __init__(self, head_dim: int, base: float):
        self.half = head_dim // 2
        self.step = math.log(base) / max(self.half - 1, 1)

    def angles(self, positions: Tensor) -> Tensor:
        index = torch.arange(self.half, dtype=torch.float64, device=positions.device)
        return positions.double().unsqueeze(1) * torch.exp(-self.step * index)

    def pairs(self, first: Tensor, second: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        angle = self.angles(positions)
        c, s = angle.cos().to(first.dtype), angle.sin().to(first.dtype)
        return first * c - second * s, second * c + first * s


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    rotary = Rotary(x.shape[-1], base)
    return torch.cat(rotary.pairs(*x.tensor_split(2, dim=-1), positions), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    rotary = Rotary(x.shape[-1], base)
    pairs = x.unflatten(-1, (-1, 2))
    return torch.stack(rotary.pairs(pairs[..., 0], pairs[..., 1], positions), dim=-1).flatten(-2)
