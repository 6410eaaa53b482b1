# attn-kata: drill-softmax
from __future__ import annotations

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """把 x (batch, length, classes) 变成沿 dim 加起来为 1 的权重。"""
    raise NotImplementedError("write me")


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    """返回沿 dim 的 log(sum(exp(x)))；结果里没有这一维。"""
    raise NotImplementedError("write me")


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """对 mask 露出的分数，沿最后一维做 softmax。

    scores   (batch, heads, query_length, key_length)，任何浮点 dtype
    mask     能广播到 scores：算数的分数处是 1 或 True，不算的是 0 或 False；bool、整数、浮点
             都可能
    返回     形状与 scores 相同；整行都不算数时那一行全为 0，梯度也是 0
    """
    raise NotImplementedError("write me")
