"""The same values in another layout."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from torch import Tensor

__all__ = ["laid_out"]


def laid_out(value: Tensor, like: Tensor) -> Iterator[Tensor]:
    """Yield a tensor's axes in every order that gives it the other one's shape."""
    if sorted(value.shape) != sorted(like.shape):
        return
    for order in permutations(range(value.dim())):
        if all(value.shape[axis] == size for axis, size in zip(order, like.shape, strict=True)):
            yield value.permute(order)
