from __future__ import annotations

import torch
from torch import Tensor

# x_{b t f} with f = h d + a   <->   y_{b h t a}


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    B, T, F = x.shape
    y = x.view(B, T, num_heads, F // num_heads)
    return y.swapaxes(-3, -2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    d = x.shape[-1] // num_heads
    # windows of width d, moved by d: a view, and no arithmetic with shapes
    b, t, h, a = range(4)
    return x.unfold(-1, d, d).permute(b, h, t, a)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return torch.movedim(torch.unflatten(x, dim=2, sizes=(num_heads, x.shape[2] // num_heads)), 2, 1)


def merge_by_view(heads: Tensor) -> Tensor:
    B, H, T, d = heads.shape
    memory = heads.new_empty(B, T, H, d)
    memory.copy_(heads.transpose(1, 2))
    return memory.view(B, T, H * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    B, H, T, d = heads.shape
    return torch.reshape(heads.permute(0, 2, 1, 3), (B, T, H * d))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.moveaxis((1, 2), (2, 1)), start_dim=-2)
