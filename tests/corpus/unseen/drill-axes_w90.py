# -*- coding: utf-8 -*-
# 轴的顺序练习
import torch
from torch import Tensor

BATCH, LENGTH, HEADS, DIM = 0, 1, 2, 3


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(LENGTH, HEADS)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(BATCH, HEADS, LENGTH, DIM)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapdims(LENGTH, HEADS)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(HEADS, LENGTH)


def swap_last(key: Tensor) -> Tensor:
    return key.transpose(-2, -1)


def swap_last_copy(key: Tensor) -> Tensor:
    return key.transpose(-2, -1).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    # 每个头: (batch, length, head_dim), 然后放在最前面
    per_head = x.unbind(HEADS)
    return torch.stack(per_head, dim=0)


def heads_to_back(x: Tensor) -> Tensor:
    per_head = x.unbind(0)
    return torch.stack(per_head, dim=HEADS)
