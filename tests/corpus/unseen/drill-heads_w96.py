from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Sizes(NamedTuple):
    batch: int
    length: int
    heads: int
    head_dim: int

    @property
    def hidden_dim(self) -> int:
        return self.heads * self.head_dim

    @classmethod
    def before_split(cls, x: Tensor, num_heads: int) -> Sizes:
        return cls(*x.shape[:2], num_heads, x.shape[-1] // num_heads)

    @classmethod
    def before_merge(cls, heads: Tensor) -> Sizes:
        return cls(*heads.shape)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return x.view(Sizes.before_split(x, num_heads)).transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return x.reshape(Sizes.before_split(x, num_heads)).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    s = Sizes.before_split(x, num_heads)
    return x.unflatten(2, (s.heads, s.head_dim)).swapaxes(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    swapped = heads.transpose(1, 2).contiguous()
    return swapped.view(swapped.size(0), swapped.size(1), -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    s = Sizes.before_merge(heads)
    return heads.transpose(1, 2).reshape(s.batch, s.length, s.hidden_dim)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(-2)
