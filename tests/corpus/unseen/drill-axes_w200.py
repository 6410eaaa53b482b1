# attn-kata: drill-axes
from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    """(b, t, h, d) -> (b, h, t, d)"""
    return x.transpose(1, 2)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(2, 1)


def _alloc_like(view: Tensor) -> Tensor:
    """给结果开一块自己的内存(不和参数共享)"""
    return torch.empty_like(view)


def _materialize(view: Tensor) -> Tensor:
    return view.contiguous()


def swap_last(key: Tensor) -> Tensor:
    return key.transpose(-2, -1)


def swap_last_copy(key: Tensor) -> Tensor:
    src = swap_last(key)
    dst = _alloc_like(src)
    dst.copy_(src)
    return dst


def heads_to_front(x: Tensor) -> Tensor:
    return x.permute(2, 0, 1, 3)


def heads_to_back(x: Tensor) -> Tensor:
    return _materialize(x.permute(1, 2, 0, 3))
