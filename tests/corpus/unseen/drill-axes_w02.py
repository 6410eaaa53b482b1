# attn-kata: drill-axes
from __future__ import annotations

import torch
from torch import Tensor

SWAP = (0, 2, 1, 3)
FRONT = (2, 0, 1, 3)


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(-3, -2)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(SWAP)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(-3, -2)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(-2, -3)


def swap_last(key: Tensor) -> Tensor:
    return key.transpose(-2, -1)


def swap_last_copy(key: Tensor) -> Tensor:
    return swap_last(key).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    return x.permute(FRONT)


def heads_to_back(x: Tensor) -> Tensor:
    return x.permute(FRONT).contiguous()
