# attn-kata: kvcache
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """因果的多头注意力，能从上一次调用停下的地方接着算。

    head_dim 是 hidden_dim // num_heads；hidden_dim 是 num_heads 的倍数。

    x        (batch, length, hidden_dim)：最新的位置，至少一个；任何浮点 dtype
    cache    序列刚开始时是 None，之后是上一次调用返回的东西
    返回     (output, cache)：output 是 (batch, length, hidden_dim)；新的 cache 用什么类型都
             可以，会原样交给下一次调用

    query 能看到自己和之前的所有位置，包括 cache 里的。cache 归调用者所有：self 上什么也不存，
    传进来的 cache 也不改动，因为可能从它分两路接着算。要有：输出投影。合并或分开投影、每个
    head 一层或直接用参数、有没有 bias 都可以。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        raise NotImplementedError("write me")
