from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    # three neighbours' exchanges do it as well as one
    return x.transpose(2, 3).transpose(1, 3).transpose(2, 3).transpose(1, 2).transpose(2, 1)


def by_permute(x: Tensor) -> Tensor:
    order = list(range(4))
    order[1], order[2] = order[2], order[1]
    return x.permute(order)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(axis0=2, axis1=1)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(1, 2)


def swap_last(key: Tensor) -> Tensor:
    b, h, t, d = key.stride()
    B, H, T, D = key.shape
    return key.as_strided((B, H, D, T), (b, h, d, t), key.storage_offset())


def swap_last_copy(key: Tensor) -> Tensor:
    return swap_last(key).clone(memory_format=torch.contiguous_format)


def heads_to_front(x: Tensor) -> Tensor:
    for left in (1, 0):
        x = x.swapaxes(left, left + 1)
    return x


def heads_to_back(x: Tensor) -> Tensor:
    for left in (0, 1):
        x = x.swapaxes(left, left + 1)
    return x.contiguous()
