# attn-kata: drill-heads
from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    """(B, T, C) -> (B, H, T, D)"""
    assert x.shape[-1] % num_heads == 0, "num_heads must divide hidden_dim"
    return x.view(*x.shape[:2], num_heads, x.shape[-1] // num_heads).transpose(-3, -2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    """(B, T, C) -> (B, H, T, D)"""
    assert x.shape[-1] % num_heads == 0, "num_heads must divide hidden_dim"
    return x.view(*x.shape[:2], num_heads, x.shape[-1] // num_heads).permute((0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    """(B, T, C) -> (B, H, T, D)"""
    assert x.shape[-1] % num_heads == 0, "num_heads must divide hidden_dim"
    cut = x.unflatten(-1, (num_heads, x.shape[-1] // num_heads))
    if num_heads == 1:
        return cut.squeeze(-2)  # one head: nothing to move
    return cut.transpose(-3, -2)


def merge_by_view(heads: Tensor) -> Tensor:
    """(B, H, T, D) -> (B, T, C)"""
    batch, num_heads, length, head_dim = heads.shape
    return heads.transpose(1, 2).contiguous().view(batch, length, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    """(B, H, T, D) -> (B, T, C)"""
    batch, num_heads, length, head_dim = heads.shape
    return heads.transpose(1, 2).reshape((batch, length, num_heads * head_dim))


def merge_by_flatten(heads: Tensor) -> Tensor:
    """(B, H, T, D) -> (B, T, C)"""
    return heads.transpose(1, 2).flatten(start_dim=-2, end_dim=-1)
