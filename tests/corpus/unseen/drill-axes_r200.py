# attn-kata: drill-axes
from __future__ import annotations

import enum

import torch
from torch import Tensor


class Ax(enum.IntEnum):
    """Axes of the (batch, length, heads, head_dim) layout. 用名字,不用魔法数字。"""

    BATCH = 0
    TIME = 1
    HEAD = 2
    DK = 3


_HEADS_FIRST = (Ax.BATCH, Ax.HEAD, Ax.TIME, Ax.DK)


def by_transpose(x: Tensor) -> Tensor:
    return Tensor.transpose(x, Ax.TIME, Ax.HEAD)


def by_permute(x: Tensor) -> Tensor:
    return torch.permute(x, tuple(int(a) for a in _HEADS_FIRST))


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapdims(Ax.HEAD - x.dim(), Ax.TIME - x.dim())


def by_movedim(x: Tensor) -> Tensor:
    # 一次搬两根轴:TIME -> 2, HEAD -> 1
    return torch.moveaxis(x, (int(Ax.TIME), int(Ax.HEAD)), (2, 1))


class _Strided:
    """手动改 stride,相当于 C++ 的 mdspan:不拷贝数据,只换一个看的角度。"""

    def __init__(self, base: Tensor) -> None:
        self.base = base

    def reorder(self, *order: int) -> Tensor:
        shape = [self.base.size(a) for a in order]
        stride = [self.base.stride(a) for a in order]
        return self.base.as_strided(shape, stride)


def swap_last(key: Tensor) -> Tensor:
    return key.mT


def swap_last_copy(key: Tensor) -> Tensor:
    bsz, n_head, tlen, dk = key.shape
    # 先按行主序开好内存,再填进去
    fresh = key.new_empty((bsz, n_head, dk, tlen))
    return fresh.copy_(swap_last(key))


def heads_to_front(x: Tensor) -> Tensor:
    return _Strided(x).reorder(Ax.HEAD, Ax.BATCH, Ax.TIME, Ax.DK)


def heads_to_back(x: Tensor) -> Tensor:
    # 每个 head 是一个 (batch, length, head_dim),stack 总是写进新的连续内存
    return torch.stack(x.unbind(0), dim=2)
