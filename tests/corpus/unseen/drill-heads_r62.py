"""Split and merge, with the tools we use in class (einops where it reads best)."""
from __future__ import annotations

import torch
from einops import rearrange
from torch import Tensor, nn

SPLIT = "batch length (heads head_dim) -> batch heads length head_dim"
MERGE = "batch heads length head_dim -> batch length (heads head_dim)"


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    head_dim = x.size(-1) // num_heads
    cut = x.view(x.size(0), x.size(1), num_heads, head_dim)
    return cut.swapdims(-2, -3)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return rearrange(x, SPLIT, heads=num_heads)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    cutter = nn.Unflatten(dim=2, unflattened_size=(num_heads, x.shape[2] // num_heads))
    return cutter(x).permute(0, 2, 1, 3)


def merge_by_view(heads: Tensor) -> Tensor:
    batch, _, length, _ = heads.shape
    rows = heads.permute(0, 2, 1, 3).clone(memory_format=torch.contiguous_format)
    return rows.view(batch, length, rows.stride(1))


def merge_by_reshape(heads: Tensor) -> Tensor:
    return rearrange(heads, MERGE)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return nn.Flatten(start_dim=2)(heads.transpose(1, 2))
