# attn-kata: drill-heads
from __future__ import annotations

import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    """用 view 把宽度拆成多个 head；移动维度的方法不限，但不能用 permute。

    x          (batch, length, hidden_dim)，任何浮点 dtype
    num_heads  整除 hidden_dim；第 h 个 head 是第 h * head_dim 到 (h + 1) * head_dim 个特征
    返回       (batch, heads, length, head_dim)，x 的视图
    """
    raise NotImplementedError("write me")


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    """同上，只用 permute 移动维度；怎么切宽度不限。"""
    raise NotImplementedError("write me")


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    """同上，用 unflatten 切宽度；怎么移动维度不限。"""
    raise NotImplementedError("write me")


def merge_by_view(heads: Tensor) -> Tensor:
    """用 view 把拆开的 head 合回去。

    heads    (batch, heads, length, head_dim)，任何浮点 dtype
    返回     (batch, length, hidden_dim)，各个 head 按原来的次序并排
    """
    raise NotImplementedError("write me")


def merge_by_reshape(heads: Tensor) -> Tensor:
    """同上，用 reshape。"""
    raise NotImplementedError("write me")


def merge_by_flatten(heads: Tensor) -> Tensor:
    """同上，用 flatten。"""
    raise NotImplementedError("write me")
