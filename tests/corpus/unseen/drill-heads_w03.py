# attn-kata: drill-heads
from __future__ import annotations

import torch
from torch import Tensor


def _shape(x: Tensor, num_heads: int) -> tuple[int, ...]:
    batch, length, hidden_dim = x.shape
    return batch, length, num_heads, hidden_dim // num_heads


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return x.view(_shape(x, num_heads)).swapaxes(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return x.view(_shape(x, num_heads)).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, _shape(x, num_heads)[2:]).swapaxes(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.shape
    return heads.swapaxes(1, 2).contiguous().view(batch, length, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, length, num_heads, head_dim = heads.shape
    return heads.swapaxes(1, 2).reshape(batch, length, num_heads * head_dim)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.swapaxes(1, 2).flatten(2, 3)
