# attn-kata: drill-heads
from __future__ import annotations

import torch
from torch import Tensor

BATCH, HEADS, LENGTH, HEAD_DIM = range(4)  # the axes once the heads are in front


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    cut = x.view(*x.shape[:-1], num_heads, -1)
    return torch.movedim(cut, -2, HEADS)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    head_dim = x.size(-1) // num_heads
    # unfold cuts the last axis into windows without overlap: a view as well
    return x.unfold(dimension=-1, size=head_dim, step=head_dim).permute(BATCH, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    cut = torch.unflatten(x, dim=2, sizes=(num_heads, x.size(2) // num_heads))
    return cut.swapaxes(HEADS, LENGTH)


def merge_by_view(heads: Tensor) -> Tensor:
    by_position = torch.movedim(heads, HEADS, -2).clone(memory_format=torch.contiguous_format)
    return by_position.view(*by_position.shape[:2], -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    by_position = heads.permute(BATCH, LENGTH, HEADS, HEAD_DIM)
    return torch.reshape(by_position, (*by_position.shape[:2], -1))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.swapdims(HEADS, LENGTH), -2, -1)
