# attn-kata: varlen
from __future__ import annotations

import math

import torch
from torch import Tensor

# 各序列首尾相接，放在一个有 total 个位置的缓冲区里：第 i 个序列占 lengths[i] 个位置，长度可以
# 是 0 或 1。缓冲区可能比所有序列加起来还长：最后一个序列后面的位置是空的。


def cumulative_lengths(lengths: Tensor) -> Tensor:
    """每个序列从哪里开始，最后一个到哪里结束：也就是 FlashAttention 的 cu_seqlens。

    lengths  (batch,)，整数
    返回     (batch + 1,)，整数，int32 或 int64：第一个是 0，最后一个是总和
    """
    raise NotImplementedError("write me")


def document_mask(lengths: Tensor, total: int) -> Tensor:
    """哪个位置可以看哪个：同一序列里的位置互相可见。

    lengths  (batch,)，总和不超过 total
    返回     (total, total) 的 bool：i 和 j 在同一序列里时，(i, j) 处为 True；空位置什么也看不
             到，谁也看不到它
    """
    raise NotImplementedError("write me")


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    """对首尾相接的序列做注意力，各序列只看自己。

    query, key, value  (total, heads, head_dim)，任何浮点 dtype
    lengths  (batch,)，总和不超过 total
    causal   为 True 时，任何位置都看不到它后面的位置
    返回     (total, heads, head_dim)；空位置是 0

    分数除以 √head_dim。中间任何张量都不能是 (…, total, total)，元素个数也不能超过 query 的，或
    者最长序列的分数的，以较多者为准：既不能对全部位置做一次带 mask 的注意力，也不能填充到同
    样的长度。

    不能用：F.scaled_dot_product_attention。
    """
    raise NotImplementedError("write me")
