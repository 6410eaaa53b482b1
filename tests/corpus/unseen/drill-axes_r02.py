# attn-kata: drill-axes
from __future__ import annotations

import torch
from torch import Tensor

LENGTH, HEADS = -3, -2  # counted from behind, in (batch, length, heads, head_dim)


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, LENGTH, HEADS)


def by_permute(x: Tensor) -> Tensor:
    order = [0, 1, 2, 3]
    order[1], order[2] = order[2], order[1]
    return torch.permute(x, order)


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapdims(x, LENGTH, HEADS)


def by_movedim(x: Tensor) -> Tensor:
    return torch.moveaxis(x, (1, 2), (2, 1))


def swap_last(key: Tensor) -> Tensor:
    # the same memory, read with two strides exchanged
    *outer, length, head_dim = key.shape
    *jumps, row, column = key.stride()
    return key.as_strided((*outer, head_dim, length), (*jumps, column, row))


def swap_last_copy(key: Tensor) -> Tensor:
    batch, heads, length, head_dim = key.shape
    copy = torch.empty(batch, heads, head_dim, length, dtype=key.dtype, device=key.device)
    return copy.copy_(key.transpose(-1, -2))


def heads_to_front(x: Tensor) -> Tensor:
    return torch.movedim(x, HEADS, 0)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.movedim(x, 0, HEADS).clone(memory_format=torch.contiguous_format)
