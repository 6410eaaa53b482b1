# attn-kata: split-k
from __future__ import annotations

import math

import torch
from torch import Tensor


def chunk_attention(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor
) -> tuple[Tensor, Tensor]:
    """一块 key 上的注意力，以及这些分数的 log-sum-exp。

    query    (batch, heads, query_length, head_dim)，任何浮点 dtype
    key      (batch, heads, key_length, head_dim)
    value    (batch, heads, key_length, value_dim)
    seen     (batch, key_length)，bool：True 表示这个 key 算数，对该序列的所有 query 都一样
    返回     (batch, heads, query_length, value_dim)，只在这一块的 key 上做 softmax；
             以及 (batch, heads, query_length)，这些分数的 log Σ exp(score)；
             一个 key 都没看到时分别是 0 和 -inf
    """
    raise NotImplementedError("write me")


def merge(outputs: Tensor, lses: Tensor) -> tuple[Tensor, Tensor]:
    """由各块的结果得到把所有 key 当作一块时的结果。

    outputs  (splits, batch, heads, query_length, value_dim)
    lses     (splits, batch, heads, query_length)；为 -inf 的块不参与；
             全为 -inf 时得到 0 和 -inf
    返回     (batch, heads, query_length, value_dim) 和 (batch, heads, query_length)
    """
    raise NotImplementedError("write me")


def split_k_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, splits: int
) -> Tensor:
    """在缓存上分块解码：各块独立计算，再合并。

    query    (batch, heads, query_length, head_dim)；key、value 同上，是整个缓存
    lengths  (batch,)，1 到 key_length 的整数：从这里开始的 key 是空位，谁也看不到
    splits   把 key 切成几块；不必整除 key_length，也可以更大
    返回     (batch, heads, query_length, value_dim)，除舍入误差外是精确的

    splits 大于等于 2 时，中间任何张量都不能同时含有 query_length 和 key_length 两个维度：
    分数一次只存一块的，或者另有一维表示块。

    不能用：F.scaled_dot_product_attention。只评判前向。
    """
    raise NotImplementedError("write me")
