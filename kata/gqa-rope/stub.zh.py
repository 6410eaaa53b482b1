# attn-kata: gqa-rope
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class GroupedQueryAttentionWithRope(nn.Module):
    """因果的分组查询注意力，带旋转位置和 KV cache。

    head_dim 是 hidden_dim // num_heads，偶数；num_heads 是 num_kv_heads 的倍数。第 h 个
    query head 用第 h // (num_heads // num_kv_heads) 个 key head 和 value head。

    x        (batch, length, hidden_dim)：最新的位置，一个或多个；任何浮点 dtype
    cache    序列刚开始时是 None，之后是上一次调用返回的东西
    返回     (output, cache)：output 是 (batch, length, hidden_dim)；新的 cache 用什么类型都
             可以，会原样交给下一次调用

    query 和 key 的每个 head 里，位置 p 处的第 (i, i + head_dim/2) 对转过
    p · base^(-2i/head_dim) 弧度：(a, b) 变成 (a·cos − b·sin, b·cos + a·sin)。
    位置接着 cache 往下数。query 能看到自己和之前的所有位置。cache 归调用者所有：self 上什么
    也不存，传进来的 cache 也不改动。要有：输出投影。合并或分开投影、有没有 bias 都可以。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        raise NotImplementedError("write me")
