# attn-kata: relative-bias
from __future__ import annotations

import math

import torch
from torch import Tensor


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    """给每个相对位置算桶号，与 T5 一样。

    relative_position  整数，key 的位置减去 query 的位置，形状任意
    返回               0 到 num_buckets - 1 的整数，形状相同

    bidirectional 时，每个方向有 num_buckets // 2 个桶：下半部分给 query 前面的 key 和它自己的位置，
    上半部分给后面的 key。否则只有一个方向，所有桶都归它，后面的 key 都算距离 0。一个方向有 n 个桶，
    其中 m = n // 2 个是精确的：距离 d < m 时桶号是 d。从 m 起是

        m + int( log(d / m) / log(max_distance / m) * (n - m) )，最多 n - 1
    """
    raise NotImplementedError("write me")


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    """查出要加到 scores 上的偏置。

    table    (num_buckets, heads)，学出来的
    返回     (heads, query_length, key_length)

    query 是 key_length 个位置里的最后 query_length 个。
    """
    raise NotImplementedError("write me")


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    """softmax(query · keyᵀ + bias) · value，不是 bidirectional 时带因果 mask。

    query    (batch, heads, query_length, head_dim)，任何浮点 dtype
    key      (batch, heads, key_length, head_dim)
    value    (batch, heads, key_length, value_dim)
    返回     (batch, heads, query_length, value_dim)

    T5 不除以 √head_dim。不能用：F.scaled_dot_product_attention。
    """
    raise NotImplementedError("write me")
