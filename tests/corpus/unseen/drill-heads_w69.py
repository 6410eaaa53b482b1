from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    B, N, E = x.shape
    D, rest = divmod(E, num_heads)
    assert rest == 0
    y = x.view(B, N, num_heads, D).transpose(1, 2)
    assert y.shape == (B, num_heads, N, D)
    return y


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    B, N, E = x.shape
    D, rest = divmod(E, num_heads)
    assert rest == 0
    y = x.reshape(B, N, num_heads, D).permute(0, 2, 1, 3)
    assert y.shape == (B, num_heads, N, D)
    return y


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    B, N, E = x.shape
    y = x.unflatten(2, (num_heads, E // num_heads)).permute(0, 2, 1, 3)
    assert y.shape == (B, num_heads, N, E // num_heads)
    return y


def merge_by_view(heads: Tensor) -> Tensor:
    B, H, N, D = heads.shape
    y = heads.permute(0, 2, 1, 3).contiguous().view(B, N, H * D)
    assert y.is_contiguous()
    return y


def merge_by_reshape(heads: Tensor) -> Tensor:
    B, H, N, D = heads.shape
    y = heads.permute(0, 2, 1, 3).reshape(B, N, H * D)
    assert y.shape == (B, N, H * D)
    return y


def merge_by_flatten(heads: Tensor) -> Tensor:
    B, H, N, D = heads.shape
    y = heads.permute(0, 2, 3, 1).flatten(2)
    assert y.shape == (B, N, H * D)
    return y
