# attn-kata: drill-axes
from __future__ import annotations

import torch
from torch import Tensor


# 四种写法，结果相同，都是视图
def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, 1, 2)


def by_permute(x: Tensor) -> Tensor:
    return torch.permute(x, (0, 2, 1, 3))


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapaxes(x, 1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return torch.movedim(x, 1, 2)


# 交换最后两个轴：视图
def swap_last(key: Tensor) -> Tensor:
    return torch.swapaxes(key, -1, -2)


# 交换最后两个轴：连续的拷贝
def swap_last_copy(key: Tensor) -> Tensor:
    return torch.swapaxes(key.contiguous(), -1, -2)


def heads_to_front(x: Tensor) -> Tensor:
    return torch.movedim(x, 2, 0)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.movedim(x, 0, 2).contiguous()
