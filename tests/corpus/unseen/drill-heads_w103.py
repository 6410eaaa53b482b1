from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class Dims(NamedTuple):
    batch: int
    length: int
    heads: int
    width: int

    @property
    def merged(self) -> int:
        return self.heads * self.width


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    dims = Dims(*x.shape[:2], num_heads, x.shape[2] // num_heads)
    return x.view(dims).transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    dims = Dims(*x.shape[:2], num_heads, x.shape[2] // num_heads)
    return x.view(dims).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    dims = Dims(*heads.shape)
    moved = heads.transpose(1, 2).contiguous()
    return moved.view(dims.batch, dims.length, dims.merged)


def merge_by_reshape(heads: Tensor) -> Tensor:
    moved = heads.transpose(1, 2)
    dims = Dims(*moved.shape)
    return moved.reshape(dims.batch, dims.length, dims.merged)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(start_dim=2)
