from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden_dim = x.shape
    return x.view(batch, length, num_heads, hidden_dim // num_heads).transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    pieces = torch.stack(x.chunk(num_heads, dim=-1))  # (heads, batch, length, head_dim)
    return pieces.permute(1, 0, 2, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    moved = heads.transpose(1, 2).contiguous()
    return moved.view(*moved.shape[:2], moved.shape[2] * moved.shape[3])


def merge_by_reshape(heads: Tensor) -> Tensor:
    moved = heads.transpose(1, 2)
    return moved.reshape(*moved.shape[:2], moved.shape[2] * moved.shape[3])


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(-2, -1)
