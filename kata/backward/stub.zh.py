# attn-kata: backward
from __future__ import annotations

import math

import torch
from torch import Tensor


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """不用 autograd，求 softmax(query · keyᵀ / √head_dim) · value 的梯度。

    query         (batch, heads, query_length, head_dim)，任何浮点 dtype
    key           (batch, heads, key_length, head_dim)
    value         (batch, heads, key_length, value_dim)
    grad_output   (batch, heads, query_length, value_dim)：损失对输出的梯度
    causal        query 是 key_length 个位置中的最后 query_length 个，都看不到自己之后的 key
    返回          (grad_query, grad_key, grad_value)，形状与 query、key、value 相同

    分数上千也不能溢出。不能用：autograd（requires_grad、backward、torch.autograd、
    torch.func）和现成的 softmax 反向。softmax 本身可以用。
    """
    raise NotImplementedError("write me")
