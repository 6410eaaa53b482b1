# attn-kata: sdpa
from __future__ import annotations

import math

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    """缩放点积注意力，没有任何层。

    query    (batch, heads, query_length, head_dim)，任何浮点 dtype
    key      (batch, heads, key_length, head_dim)
    value    (batch, heads, key_length, value_dim)
    mask     能广播到 (batch, heads, query_length, key_length)：query 可以看的地方是 1 或
             True，不可以的是 0 或 False；bool、整数、浮点都可能；None 表示不限制
    causal   query 是 key_length 个位置中的最后 query_length 个，都看不到自己之后的 key
    返回     (batch, heads, query_length, value_dim)

    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """
    raise NotImplementedError("write me")
