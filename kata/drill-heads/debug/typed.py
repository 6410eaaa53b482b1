from __future__ import annotations

import torch
from torch import Tensor


def _sizes(x: Tensor, num_heads: int) -> tuple[int, int, int, int]:
    batch, length, hidden = x.size()
    return batch, length, num_heads, hidden // num_heads


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return torch.transpose(x.view(_sizes(x, num_heads)), 1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return torch.permute(x.reshape(_sizes(x, num_heads)), (0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return torch.unflatten(x, -1, (num_heads, x.size(-1) // num_heads)).permute(0, 2, 1, 3)


def merge_by_view(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.size()
    by_position: Tensor = heads.permute(0, 2, 1, 3).contiguous()
    return by_position.view(batch, length, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.size()
    return torch.reshape(heads.swapaxes(1, 2), (batch, length, num_heads * head_dim))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.permute(0, 2, 1, 3), start_dim=2)
