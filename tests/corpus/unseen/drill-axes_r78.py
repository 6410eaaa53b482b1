from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(-3, -2)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapdims(-3, -2)


def by_movedim(x: Tensor) -> Tensor:
    return x.moveaxis(-2, -3)


def swap_last(key: Tensor) -> Tensor:
    return key.transpose(-2, -1)


def swap_last_copy(key: Tensor) -> Tensor:
    turned = swap_last(key)
    fresh = turned.new_empty(turned.shape)
    return fresh.copy_(turned)


def heads_to_front(x: Tensor) -> Tensor:
    return x.movedim(2, 0)


def heads_to_back(x: Tensor) -> Tensor:
    return x.movedim(0, 2).contiguous()
