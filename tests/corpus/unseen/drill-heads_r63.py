from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.size()
    cut = x.view((batch, length, num_heads, width // num_heads))
    return cut.swapdims(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    # features before places first, then cut the features, then features last again
    features = x.permute(0, 2, 1)
    return features.unflatten(1, (num_heads, -1)).permute(0, 1, 3, 2)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return torch.unflatten(x, 2, (num_heads, x.size(2) // num_heads)).movedim(2, 1)


def merge_by_view(heads: Tensor) -> Tensor:
    batch, n, length, size = heads.size()
    packed = heads.new_empty((batch, length, n, size))
    packed.copy_(heads.transpose(1, 2))
    return packed.view(batch, length, n * size)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, n, length, size = heads.size()
    moved = heads.movedim(1, -2)
    return torch.reshape(moved, (batch, length, n * size))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.permute(0, 2, 1, 3), -2, -1)
