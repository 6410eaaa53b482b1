from __future__ import annotations

from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.size()
    return x.view(batch, length, num_heads, width // num_heads).swapaxes(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, x.size(-1) // num_heads)).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (-1, num_heads)).movedim(-1, 1)


def merge_by_view(heads: Tensor) -> Tensor:
    rows = heads.movedim(1, 2).contiguous()
    return rows.view(*rows.shape[:2], rows.shape[2] * rows.shape[3])


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, count, length, size = heads.size()
    return heads.permute(0, 2, 1, 3).reshape(batch, length, count * size)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.movedim(1, 2).flatten(start_dim=2)
