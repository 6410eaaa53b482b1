from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor, nn


class Apply(nn.Module):
    def __init__(self, fn: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, t: Tensor) -> Tensor:
        return self.fn(t)


def chain(*fns: Callable[[Tensor], Tensor]) -> nn.Sequential:
    return nn.Sequential(*map(Apply, fns))


swap = lambda t: t.transpose(1, 2)
dense = lambda t: t.contiguous()


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return chain(lambda t: t.view(*t.shape[:2], num_heads, -1), swap)(x)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return chain(
        lambda t: t.reshape(*t.shape[:2], num_heads, -1),
        lambda t: t.permute(0, 2, 1, 3),
    )(x)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return chain(lambda t: t.unflatten(-1, (num_heads, -1)), swap, dense)(x)


def merge_by_view(heads: Tensor) -> Tensor:
    return chain(swap, dense, lambda t: t.view(*t.shape[:2], -1))(heads)


def merge_by_reshape(heads: Tensor) -> Tensor:
    return chain(swap, lambda t: t.reshape(*t.shape[:2], -1))(heads)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return chain(swap, lambda t: t.flatten(2))(heads)
