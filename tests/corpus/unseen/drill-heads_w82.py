from __future__ import annotations

import torch
from torch import Tensor, nn


class HeadShaper(nn.Module):
    def __init__(self, num_heads: int | None = None) -> None:
        super().__init__()
        self.num_heads = num_heads

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(2, (self.num_heads, -1)).transpose(1, 2)

    def merge(self, x: Tensor) -> Tensor:
        batch, _, length, _ = x.shape
        return x.permute(0, 2, 3, 1).reshape(batch, length, -1)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden = x.shape
    return x.view(batch, length, num_heads, hidden // num_heads).swapaxes(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden = x.shape
    y = x.view(batch, length, num_heads, hidden // num_heads)
    return y.permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return HeadShaper(num_heads).split(x)


def merge_by_view(heads: Tensor) -> Tensor:
    b, h, l, d = heads.shape
    return heads.swapaxes(1, 2).contiguous().view(b, l, h * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    return HeadShaper().merge(heads)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.swapaxes(1, 2), 2, 3)
