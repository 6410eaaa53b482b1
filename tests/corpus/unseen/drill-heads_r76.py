from __future__ import annotations

import torch
from torch import Tensor


class _Width:
    """hidden_dim seen as heads x head_dim."""

    def __init__(self, hidden_dim: int, num_heads: int):
        self.cut = (num_heads, hidden_dim // num_heads)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return x.view(x.shape[:2] + _Width(x.shape[2], num_heads).cut).swapdims(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    h, d = _Width(x.shape[2], num_heads).cut
    s = x.stride()
    cut = x.as_strided((*x.shape[:2], h, d), (s[0], s[1], d * s[2], s[2]), x.storage_offset())
    return cut.permute((0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.transpose(1, 2).unflatten(1, _Width(x.shape[2], num_heads).cut).transpose(2, 3)


def merge_by_view(heads: Tensor) -> Tensor:
    b, h, l, d = heads.shape
    return torch.stack(heads.unbind(1), dim=2).view(b, l, h * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, l, d = heads.shape
    return heads.permute(0, 1, 3, 2).reshape((b, h * d, l)).transpose(1, 2)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.movedim(2, 1).flatten(2)
