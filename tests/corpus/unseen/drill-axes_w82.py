# attn-kata: drill-axes
import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(2, 1)


def by_permute(x: Tensor) -> Tensor:
    b, l, h, d = range(4)
    return x.permute(b, h, l, d)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(2, 1)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim((1, 2), (2, 1))


def swap_last(key: Tensor) -> Tensor:
    return key.swapaxes(-1, -2)


def swap_last_copy(key: Tensor) -> Tensor:
    return key.swapaxes(-1, -2).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    return x.transpose(0, 2)


def heads_to_back(x: Tensor) -> Tensor:
    return x.permute(1, 2, 0, 3).contiguous()
