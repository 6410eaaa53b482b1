# attn-kata: rope
from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor


class PairLayout(ABC):
    """哪两个数是一对?只有这一点在两种 RoPE 里不同,旋转本身完全一样。"""

    @abstractmethod
    def gather(self, x: Tensor) -> Tensor:
        """(..., head_dim) -> (..., head_dim / 2, 2)"""

    @abstractmethod
    def scatter(self, pairs: Tensor) -> Tensor:
        """(..., head_dim / 2, 2) -> (..., head_dim)"""


class HalfSplitLayout(PairLayout):
    def gather(self, x: Tensor) -> Tensor:
        return torch.stack(x.chunk(2, dim=-1), dim=-1)

    def scatter(self, pairs: Tensor) -> Tensor:
        return torch.cat(pairs.unbind(dim=-1), dim=-1)


class InterleavedLayout(PairLayout):
    def gather(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (-1, 2))

    def scatter(self, pairs: Tensor) -> Tensor:
        return pairs.flatten(-2)


class Rotator:
    """One 2x2 rotation matrix for every (position, pair)."""

    def __init__(self, positions: Tensor, n_pair: int, base: float) -> None:
        self._matrices = self._build(self._angles(positions, n_pair, float(base)))

    @staticmethod
    def _angles(positions: Tensor, n_pair: int, base: float) -> Tensor:
        # 角度一律用 float64 算:位置几千的时候 half 早就不够了
        i = torch.arange(n_pair, dtype=torch.float64, device=positions.device)
        speed = torch.pow(base, -i / n_pair)  # 2i / head_dim == i / n_pair
        return positions.to(torch.float64)[:, None] * speed

    @staticmethod
    def _build(angles: Tensor) -> Tensor:
        cos, sin = angles.cos(), angles.sin()
        row_a = torch.stack((cos, -sin), dim=-1)
        row_b = torch.stack((sin, cos), dim=-1)
        return torch.stack((row_a, row_b), dim=-2)  # (t, n_pair, 2, 2)

    def __matmul__(self, pairs: Tensor) -> Tensor:
        return torch.einsum("tpij,bhtpj->bhtpi", self._matrices.to(pairs.dtype), pairs)


def _rotate(x: Tensor, positions: Tensor, base: float, layout: PairLayout) -> Tensor:
    wide = torch.promote_types(x.dtype, torch.float32)
    pairs = layout.gather(x.to(wide))
    turned = Rotator(positions, pairs.size(-2), base) @ pairs
    return layout.scatter(turned).to(x.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _rotate(x, positions, base, HalfSplitLayout())


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _rotate(x, positions, base, InterleavedLayout())
