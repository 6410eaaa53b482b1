from __future__ import annotations

from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.shape
    return x.view(batch, length, num_heads, width // num_heads).transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.shape
    return x.view(batch, length, num_heads, width // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    batch, count, length, dim = heads.shape
    packed = heads.contiguous()
    return packed.view(batch, length, count * dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, count, length, dim = heads.shape
    return heads.transpose(1, 2).reshape(batch, length, count * dim)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)
