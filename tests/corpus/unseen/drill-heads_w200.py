from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    b, n, c = x.size()
    return x.view(b, n, num_heads, c // num_heads).transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    b, n, c = x.size()
    return x.reshape(b, n, num_heads, c // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(2, (num_heads, -1)).movedim(2, 1)


def merge_by_view(heads: Tensor) -> Tensor:
    b, h, n, d = heads.size()
    return heads.transpose(1, 2).contiguous().view(b, n, h * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, n, d = heads.size()
    return heads.transpose(1, 2).reshape(b, n, h * d)


def merge_by_flatten(heads: Tensor) -> Tensor:
    # the head index goes to the features, both become one
    return heads.movedim(1, -1).flatten(start_dim=2)
