from __future__ import annotations

from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    b, t, c = x.shape
    return x.view(b, t, num_heads, c // num_heads).movedim(2, 1)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    b, t, c = x.shape
    return x.reshape(b, t, num_heads, c // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1)).movedim(-2, 1)


def merge_by_view(heads: Tensor) -> Tensor:
    b, h, t, d = heads.shape
    return heads.movedim(1, 2).contiguous().view(b, t, h * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, t, d = heads.shape
    return heads.movedim(1, 2).reshape(b, t, h * d)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.movedim(1, -1).flatten(-2)
