from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    b, t, c = x.shape
    return x.view(b, t, num_heads, c // num_heads).transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    b, t, c = x.shape
    return x.view(b, t, num_heads, c // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(2, (num_heads, -1)).transpose(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    """One allocation, one strided copy straight into the final layout."""
    b, h, t, d = heads.shape
    workspace = torch.empty((b, t, h, d), device=heads.device)
    workspace.copy_(heads.transpose(1, 2))
    return workspace.view(b, t, h * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, t, d = heads.shape
    return heads.transpose(1, 2).reshape(b, t, h * d)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(start_dim=2)
