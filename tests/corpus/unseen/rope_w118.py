from __future__ import annotations

import torch
from torch import Tensor


class _Rotary:
    def __init__(self, x: Tensor, base: float) -> None:
        self.width = x.size(-1)
        exponents = torch.arange(0, self.width, 2, device=x.device, dtype=torch.float32)
        self.speeds = torch.pow(base, -exponents / self.width)
        self.x = x

    def tables(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        angles = positions.to(self.x)[:, None] * self.speeds.to(self.x)
        return torch.cos(angles), torch.sin(angles)

    @staticmethod
    def rotate(a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
        return a * cos - b * sin, b * cos + a * sin


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _Rotary(x, base).tables(positions)
    a, b = x.tensor_split(2, dim=-1)
    return torch.cat(_Rotary.rotate(a, b, cos, sin), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _Rotary(x, base).tables(positions)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack(_Rotary.rotate(a, b, cos, sin), dim=-1).flatten(-2)
