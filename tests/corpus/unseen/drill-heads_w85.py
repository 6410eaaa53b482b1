from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    b, l, w = x.size()
    return x.view(b, l, num_heads, w // num_heads).transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(2, (num_heads, -1)).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (-1, num_heads)).movedim(-1, 1)


def merge_by_view(heads: Tensor) -> Tensor:
    b, h, l, d = heads.size()
    return heads.transpose(1, 2).contiguous().view(b, l, h * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, l, d = heads.size()
    return heads.permute(0, 2, 1, 3).reshape(b, l, h * d)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.swapaxes(1, 2).flatten(start_dim=2)
