from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class HeadLayout:
    num_heads: int
    head_dim: int

    @classmethod
    def of(cls, width: int, num_heads: int) -> HeadLayout:
        if width % num_heads:
            raise ValueError(f"{width} features do not divide into {num_heads} heads")
        return cls(num_heads, width // num_heads)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    layout = HeadLayout.of(x.shape[-1], num_heads)
    # features by length first: heads are then whole slabs of the second axis
    return x.mT.view(x.shape[0], layout.num_heads, layout.head_dim, x.shape[1]).mT


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    layout = HeadLayout.of(x.shape[-1], num_heads)
    cut = x.view(*x.shape[:2], layout.num_heads, layout.head_dim)
    return torch.permute(cut, dims=(0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return torch.movedim(torch.unflatten(x, -1, (num_heads, -1)), -2, 1)


def _side_by_side(heads: Tensor) -> Tensor:
    return heads.swapaxes(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.shape
    return _side_by_side(heads).contiguous().view(batch, length, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    moved = _side_by_side(heads)
    return moved.reshape(*moved.shape[:2], -1)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return _side_by_side(heads).flatten(start_dim=2)
