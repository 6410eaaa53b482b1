# attn-kata: linear
from __future__ import annotations

import torch
from torch import Tensor


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """用 φ(x) = elu(x) + 1 代替 softmax 的注意力；每个 query 看得到每个 key。

    query    (batch, heads, query_length, head_dim)，任何浮点 dtype
    key      (batch, heads, key_length, head_dim)
    value    (batch, heads, key_length, value_dim)
    返回     (batch, heads, query_length, value_dim)：对每个 query，是 value 按权重
             φ(query)·φ(key)（归一化到和为 1）的平均；不缩放

    不能有 (query_length, key_length) 的矩阵，一个 head 的也不行：中间的任何张量都不能超过
    batch · heads · max(query_length, key_length) · head_dim · (value_dim + 1) 个元素。
    """
    raise NotImplementedError("write me")


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """靠一个滚动的状态，让每个位置看到自己和之前的位置。

    query, key  (batch, heads, length, head_dim)
    value       (batch, heads, length, value_dim)
    返回        (batch, heads, length, value_dim)

    不能有 (length, length) 的矩阵，一个 head 的也不行：中间的任何张量都不能超过
    batch · heads · length · head_dim · (value_dim + 1) 个元素。
    """
    raise NotImplementedError("write me")
