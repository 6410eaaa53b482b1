# attn-kata: alibi
from __future__ import annotations

import math

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    """每个 head 一个正的斜率，返回 (heads,)，float32 或更宽。

    heads 是 2 的幂时：2^(−8i/heads)，i = 1 … heads；只有一个 head 时为 2^−8。其他个数：先取
    小于它的最大的 2 的幂的全部斜率，再从下一个 2 的幂的斜率里，由第一个起隔一个取一个，补足为止。
    """
    raise NotImplementedError("write me")


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    """返回加到分数上的偏置，(heads, query_length, key_length)。

    query 是 key_length 个位置中的最后 query_length 个。key 不晚于 query 自己的位置时为
    −slope · distance，自己处为 0；更晚的 key 为 −inf。float32 或更宽。
    """
    raise NotImplementedError("write me")


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """因果注意力，分数上加了上面的偏置。

    query    (batch, heads, query_length, head_dim)，任何浮点 dtype
    key      (batch, heads, key_length, head_dim)；query_length 不超过 key_length
    value    (batch, heads, key_length, value_dim)
    返回     (batch, heads, query_length, value_dim)

    不能用：F.scaled_dot_product_attention。
    """
    raise NotImplementedError("write me")
