from typing import Tuple

import torch
from torch import Tensor

Shape4 = Tuple[int, int, int, int]


def row_major(shape: Shape4) -> Shape4:
    a, b, c, d = shape
    return (b * c * d, c * d, d, 1)


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(2, 1)


def by_permute(x: Tensor) -> Tensor:
    return x.permute((0, 2, 1, 3))


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapdims(2, 1)


def by_movedim(x: Tensor) -> Tensor:
    return x.moveaxis(2, 1)


def swap_last(key: Tensor) -> Tensor:
    return key.transpose(3, 2)


def swap_last_copy(key: Tensor) -> Tensor:
    return key.transpose(3, 2).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    # zero-copy: same buffer, the strides in their new order
    b, l, h, d = x.shape
    s_b, s_l, s_h, s_d = row_major((b, l, h, d))
    return x.as_strided((h, b, l, d), (s_h, s_b, s_l, s_d))


def heads_to_back(x: Tensor) -> Tensor:
    return x.permute(1, 2, 0, 3).contiguous()
