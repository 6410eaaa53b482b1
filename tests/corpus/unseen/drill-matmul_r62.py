from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Folded:
    """(heads * batch, rows, cols) plus what is needed to undo it. Heads in front."""

    data: Tensor
    heads: int
    batch: int

    @classmethod
    def fold(cls, t: Tensor) -> Folded:
        batch, heads, rows, cols = t.shape
        return cls(t.transpose(0, 1).reshape(heads * batch, rows, cols), heads, batch)

    def unfold(self) -> Tensor:
        rows, cols = self.data.shape[1:]
        return self.data.view(self.heads, self.batch, rows, cols).transpose(0, 1)

    def times(self, other: Folded) -> Folded:
        return Folded(torch.bmm(self.data, other.data), self.heads, self.batch)


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    out = weights
    out = out @ values
    return out


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    return torch.matmul(input=weights, other=values)


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("...ij, ...jc -> ...ic", weights, values)


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    return Folded.fold(weights).times(Folded.fold(values)).unfold()


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # k in front, so that the sum runs over axis 0
    w = weights.movedim(-1, 0).unsqueeze(-1)   # k b h q 1
    v = values.movedim(-2, 0).unsqueeze(-2)    # k b h 1 d
    with suppress(NotImplementedError):
        return (w * v).sum(0)
    raise TypeError(f"no product for {w.dtype}")
