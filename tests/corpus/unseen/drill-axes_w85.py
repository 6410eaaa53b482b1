from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(-3, -2)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3)


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapaxes(x, -2, -3)


def by_movedim(x: Tensor) -> Tensor:
    return torch.movedim(x, source=2, destination=1)


def swap_last(key: Tensor) -> Tensor:
    return key.mT


def swap_last_copy(key: Tensor) -> Tensor:
    swapped = swap_last(key)
    target = torch.empty_like(swapped)
    return target.copy_(swapped)


def heads_to_front(x: Tensor) -> Tensor:
    return x.movedim(-2, 0)


def heads_to_back(x: Tensor) -> Tensor:
    moved = x.movedim(0, -2)
    return moved.contiguous()
