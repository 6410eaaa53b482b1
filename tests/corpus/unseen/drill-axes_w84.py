from __future__ import annotations
from torch import Tensor


class Axes:
    """b = batch, l = length, h = heads, d = head_dim"""

    @staticmethod
    def to_bhld(x: Tensor) -> Tensor:
        return x.permute((0, 2, 1, 3))

    @staticmethod
    def to_hbld(x: Tensor) -> Tensor:
        return x.movedim(2, 0)

    @staticmethod
    def from_hbld(x: Tensor) -> Tensor:
        h, b, l, d = x.shape
        return x.contiguous().reshape(b, l, h, d)


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(-3, -2)


by_permute = Axes.to_bhld


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(-2, 1)


def swap_last(key: Tensor) -> Tensor:
    return key.swapaxes(2, 3)


def swap_last_copy(key: Tensor) -> Tensor:
    return key.swapaxes(2, 3).clone(memory_format=__import__("torch").contiguous_format)


heads_to_front = Axes.to_hbld
heads_to_back = Axes.from_hbld
