# attn-kata: drill-heads
from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    B, T, C = x.shape
    return x.view(B, T, C // num_heads, num_heads).movedim(-1, 1)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    B, T, C = x.shape
    return x.view(B, T, num_heads, C // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(2, (num_heads, -1)).movedim(2, 1)


def merge_by_view(heads: Tensor) -> Tensor:
    B, H, T, D = heads.shape
    return heads.movedim(1, 2).contiguous().view(B, T, H * D)


def merge_by_reshape(heads: Tensor) -> Tensor:
    B, H, T, D = heads.shape
    return heads.movedim(1, 2).reshape(B, T, H * D)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.movedim(1, 2).flatten(2)
