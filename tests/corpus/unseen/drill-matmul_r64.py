from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import torch
from torch import Tensor


@dataclass(frozen=True)
class Sizes:
    batch: int
    heads: int
    queries: int
    keys: int
    dim: int

    @classmethod
    def of(cls, weights: Tensor, values: Tensor) -> Sizes:
        assert weights.shape[:2] == values.shape[:2], (weights.shape, values.shape)
        assert weights.shape[3] == values.shape[2], (weights.shape, values.shape)
        return cls(*weights.shape, values.shape[3])

    @property
    def result(self) -> tuple[int, int, int, int]:
        return self.batch, self.heads, self.queries, self.dim


def checked(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    def wrapper(weights: Tensor, values: Tensor) -> Tensor:
        sizes = Sizes.of(weights, values)
        context = function(weights, values)
        assert context.shape == sizes.result, context.shape
        assert context.dtype == values.dtype
        return context

    return wrapper


@checked
def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    context: Tensor = weights.flatten(0, 1) @ values.flatten(0, 1)
    return context.unflatten(0, weights.shape[:2])


@checked
def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    # one row of weights at a time is a (1, keys) matrix; values broadcast over the queries
    rows: Tensor = weights.unsqueeze(-2)
    return torch.matmul(rows, values.unsqueeze(2)).squeeze(-2)


@checked
def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum("...nm,...mc->...nc", weights, values)


@checked
def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    s = Sizes.of(weights, values)
    folded = s.batch * s.heads
    context = weights.reshape(folded, s.queries, s.keys).bmm(values.reshape(folded, s.keys, s.dim))
    return context.view(s.result)


@checked
def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    # the keys stand last here, so that the sum runs over neighbours
    turned: Tensor = values.transpose(2, 3).unsqueeze(2)  # (batch, heads, 1, dim, keys)
    return torch.sum(torch.mul(weights.unsqueeze(3), turned), dim=4)
