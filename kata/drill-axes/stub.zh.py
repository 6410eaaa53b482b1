# attn-kata: drill-axes
from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    """用 transpose 把 heads 移到 length 前面。

    x        (batch, length, heads, head_dim)，任何浮点 dtype
    返回     (batch, heads, length, head_dim)，x 的视图
    """
    raise NotImplementedError("write me")


def by_permute(x: Tensor) -> Tensor:
    """同上，用 permute。"""
    raise NotImplementedError("write me")


def by_swapaxes(x: Tensor) -> Tensor:
    """同上，用 swapaxes 或 swapdims。"""
    raise NotImplementedError("write me")


def by_movedim(x: Tensor) -> Tensor:
    """同上，用 movedim 或 moveaxis。"""
    raise NotImplementedError("write me")


def swap_last(key: Tensor) -> Tensor:
    """交换最后两维，写法不限。

    key      (batch, heads, length, head_dim)，任何浮点 dtype
    返回     (batch, heads, head_dim, length)，key 的视图
    """
    raise NotImplementedError("write me")


def swap_last_copy(key: Tensor) -> Tensor:
    """值和形状同上，但要一份连续的拷贝：有自己的内存，按行排列。"""
    raise NotImplementedError("write me")


def heads_to_front(x: Tensor) -> Tensor:
    """把 heads 移到最前面，写法不限。

    x        (batch, length, heads, head_dim)，任何浮点 dtype
    返回     (heads, batch, length, head_dim)，x 的视图
    """
    raise NotImplementedError("write me")


def heads_to_back(x: Tensor) -> Tensor:
    """把 heads 移回 length 后面，写法不限。

    x        (heads, batch, length, head_dim)，任何浮点 dtype
    返回     (batch, length, heads, head_dim)，一份连续的拷贝
    """
    raise NotImplementedError("write me")
