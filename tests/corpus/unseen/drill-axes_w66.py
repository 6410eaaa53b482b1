from __future__ import annotations

import torch
from torch import Tensor

# tf.transpose(x, perm) is torch.permute(x, perm)
BTNH_TO_BNTH = (0, 2, 1, 3)
HEADS_FIRST = (2, 0, 1, 3)


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, 1, 2)


def by_permute(x: Tensor) -> Tensor:
    return torch.permute(x, BTNH_TO_BNTH)


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapaxes(x, 1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return torch.moveaxis(x, 2, 1)


def swap_last(key: Tensor) -> Tensor:
    return torch.permute(key, (0, 1, 3, 2))


def swap_last_copy(key: Tensor) -> Tensor:
    return torch.permute(key, (0, 1, 3, 2)).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    return torch.permute(x, HEADS_FIRST)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.permute(x, HEADS_FIRST).contiguous()
