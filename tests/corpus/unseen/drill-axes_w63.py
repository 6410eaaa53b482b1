from __future__ import annotations

import torch
from torch import Tensor


def _alloc(like: Tensor, *size: int) -> Tensor:
    """Vec::with_capacity for tensors: row-major, same dtype and device."""
    return torch.empty(size, dtype=like.dtype, device=like.device)


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(-2, -3)


def by_permute(x: Tensor) -> Tensor:
    b, l, h, d = range(x.ndim)
    return x.permute([b, h, l, d])


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapaxes(x, -2, -3)


def by_movedim(x: Tensor) -> Tensor:
    return torch.movedim(x, -2, -3)


def swap_last(key: Tensor) -> Tensor:
    return key.permute(0, 1, 3, 2)


def swap_last_copy(key: Tensor) -> Tensor:
    b, h, l, d = key.shape
    out = _alloc(key, b, h, d, l)
    with torch.no_grad():
        out.copy_(swap_last(key))
    return out


def heads_to_front(x: Tensor) -> Tensor:
    return torch.movedim(x, 2, 0)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.movedim(x, 0, 2).contiguous()
