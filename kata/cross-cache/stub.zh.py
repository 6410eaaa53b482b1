# attn-kata: cross-cache
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedCrossAttention(nn.Module):
    """解码器对编码器输出的注意力，后者的 key 和 value 存下来反复用。

    head_dim 是 hidden_dim // num_heads；hidden_dim 是 num_heads 的倍数。

    x               (batch, length, hidden_dim)：解码器最新的位置，至少一个
    memory          (batch, memory_length, hidden_dim)：编码器的输出
    memory_lengths  (batch,)，1 到 memory_length 的整数：每个 memory 有几个位置算数；后面的是
                    padding，任何 query 都看不到
    cache           序列刚开始时是 None，之后是上一次调用返回的东西
    返回            (output, cache)：output 是 (batch, length, hidden_dim)；cache 用什么类型都可
                    以，会原样交给下一次调用

    memory 和 memory_lengths 每次调用都会传，但只在第一次算数：有了 cache 就不再读它们，传什么
    都可能。每个 query 都看得到整个 memory，没有因果 mask。有 cache 的调用，交给各层的只有 x 的
    那些行。cache 归调用者所有：self 上什么也不存，传进来的 cache 也不改动。
    要有：输出投影。合并或分开投影、每个 head 一层或直接用参数、有没有 bias 都可以。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        raise NotImplementedError("write me")
