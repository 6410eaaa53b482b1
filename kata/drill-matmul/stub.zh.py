# attn-kata: drill-matmul
from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    """用运算符 `@`，以 weights 为权重对 values 求和。

    weights  (batch, heads, query_length, key_length)，任何浮点 dtype
    values   (batch, heads, key_length, head_dim)，同样的 dtype
    返回     (batch, heads, query_length, head_dim)，dtype 与 values 相同
    """
    raise NotImplementedError("write me")


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    """同上，用 torch.matmul。"""
    raise NotImplementedError("write me")


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    """同上，用 torch.einsum。"""
    raise NotImplementedError("write me")


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    """同上，用 torch.bmm：先把 batch 和 heads 并成一维，再拆回来。"""
    raise NotImplementedError("write me")


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    """同上，用会广播的乘法加求和，不用 torch 的任何矩阵乘法。"""
    raise NotImplementedError("write me")
