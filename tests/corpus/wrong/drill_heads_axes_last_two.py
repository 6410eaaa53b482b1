# wrong: drill-heads axes-wrong-order line 21
from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.size()
    by_position = x.view(batch, length, num_heads, width // num_heads)
    return by_position.swapaxes(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    by_position = x.unflatten(2, (num_heads, x.size(2) // num_heads))
    return torch.permute(by_position, (0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    cut = x.unflatten(-1, (num_heads, -1))
    return cut.transpose(-1, -2)


def merge_by_view(heads: Tensor) -> Tensor:
    by_position = heads.movedim(1, 2).contiguous()
    return by_position.view(by_position.size(0), by_position.size(1), -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, count, length, width = heads.size()
    return heads.permute(0, 2, 1, 3).reshape(batch, length, count * width)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.movedim(1, 2), start_dim=2)
