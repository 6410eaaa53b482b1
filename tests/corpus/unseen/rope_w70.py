from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


class FrequencyRegistry:
    """Inverse frequencies are the same for every layer, so they are computed once and kept."""

    def __init__(self) -> None:
        self._frequencies: dict[tuple[int, torch.device], Tensor] = {}

    def get(self, head_dim: int, base: float, device: torch.device) -> Tensor:
        key = (head_dim, device)
        if key not in self._frequencies:
            exponents = torch.arange(0, head_dim, 2, dtype=torch.float32, device=device) / head_dim
            self._frequencies[key] = torch.pow(float(base), -exponents)
        return self._frequencies[key]


_REGISTRY = FrequencyRegistry()


@dataclass(frozen=True)
class RotaryTables:
    cos: Tensor
    sin: Tensor

    @classmethod
    def build(cls, x: Tensor, positions: Tensor, base: float) -> RotaryTables:
        frequencies = _REGISTRY.get(x.size(-1), base, x.device)
        angles = positions.to(torch.float32).unsqueeze(-1) * frequencies
        return cls(cos=angles.cos().to(x.dtype), sin=angles.sin().to(x.dtype))

    def rotate(self, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
        return (
            first * self.cos - second * self.sin,
            second * self.cos + first * self.sin,
        )


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    tables = RotaryTables.build(x, positions, base)
    return torch.cat(tables.rotate(*x.chunk(2, dim=-1)), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    tables = RotaryTables.build(x, positions, base)
    first, second = tables.rotate(x[..., 0::2], x[..., 1::2])
    return torch.stack((first, second), dim=-1).flatten(start_dim=-2)
