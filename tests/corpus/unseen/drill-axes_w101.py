from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(1, 2)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(2, 1)


def swap_last(key: Tensor) -> Tensor:
    return key.transpose(-1, -2)


def swap_last_copy(key: Tensor) -> Tensor:
    return swap_last(key).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    # batch to place 1, length to place 2, heads to place 0
    return x.permute(1, 2, 0, 3)


def heads_to_back(x: Tensor) -> Tensor:
    return x.transpose(0, 1).transpose(1, 2).contiguous()
