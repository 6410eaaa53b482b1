from __future__ import annotations

from functools import partial

import torch
from torch import Tensor


def _bring_forward(t: Tensor) -> Tensor:
    return torch.swapaxes(t, -3, -2)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return _bring_forward(x.view(*x.shape[:-1], num_heads, -1))


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    batch, length, width = x.shape
    cut = x.view(batch, length, num_heads, width // num_heads)
    return torch.permute(cut, (0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return _bring_forward(torch.unflatten(x, -1, (num_heads, x.shape[-1] // num_heads)))


def merge_by_view(heads: Tensor) -> Tensor:
    together = _bring_forward(heads).contiguous()
    return together.view(*together.shape[:2], -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    together = _bring_forward(heads)
    return together.reshape(together.shape[0], together.shape[1], -1)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.movedim(1, -1), start_dim=-2)
