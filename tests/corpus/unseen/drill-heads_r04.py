from __future__ import annotations

import torch
from torch import Tensor

BATCH, HEADS, LENGTH, WIDTH = range(4)


def _forward(t: Tensor) -> Tensor:
    """(batch, length, heads, width) -> (batch, heads, length, width)"""
    return torch.movedim(t, 2, HEADS)


def _backward(t: Tensor) -> Tensor:
    return torch.movedim(t, HEADS, LENGTH)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return _forward(x.view(*x.shape[:-1], num_heads, -1))


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return torch.permute(torch.unflatten(x, -1, (num_heads, x.shape[-1] // num_heads)), (0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return _forward(torch.unflatten(x, -1, (num_heads, x.shape[-1] // num_heads)))


def merge_by_view(heads: Tensor) -> Tensor:
    rows = _backward(heads).clone(memory_format=torch.contiguous_format)
    return rows.view(rows.shape[0], rows.shape[1], -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    rows = _backward(heads)
    return torch.reshape(rows, (*rows.shape[:2], rows.shape[2] * rows.shape[3]))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(_backward(heads), -2, -1)
