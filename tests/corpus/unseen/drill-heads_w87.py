from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    head_dim = x.shape[-1] // num_heads
    return x.view(x.shape[0], x.shape[1], num_heads, head_dim).movedim(2, 1)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    parts = torch.stack(torch.chunk(x, num_heads, dim=-1))
    return parts.permute(1, 0, 2, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, x.shape[-1] // num_heads)).transpose(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    out = heads.permute(0, 2, 1, 3)
    out = out.clone(memory_format=torch.contiguous_format)
    return out.view(out.shape[0], out.shape[1], out.shape[2] * out.shape[3])


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, _, length, _ = heads.shape
    return heads.transpose(1, 2).reshape(batch, length, -1)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(-2, -1)
