from __future__ import annotations

import torch
from torch import Tensor


def _head_dim(hidden_size: int, num_heads: int) -> int:
    if hidden_size % num_heads != 0:
        raise ValueError(f"hidden_size ({hidden_size}) is not a multiple of num_heads ({num_heads})")
    return hidden_size // num_heads


def _swap(states: Tensor) -> Tensor:
    """Exchange the axes of heads and positions."""
    return states.transpose(1, 2)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    hidden_shape = (*x.shape[:-1], num_heads, _head_dim(x.shape[-1], num_heads))
    return _swap(x.view(hidden_shape))


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    hidden_shape = (*x.shape[:-1], num_heads, _head_dim(x.shape[-1], num_heads))
    return x.reshape(hidden_shape).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return _swap(x.unflatten(-1, (num_heads, _head_dim(x.shape[-1], num_heads))))


def merge_by_view(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.shape
    return _swap(heads).view(batch, length, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.shape
    return _swap(heads).reshape(batch, length, num_heads * head_dim)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return _swap(heads).flatten(start_dim=-2)
