# attn-kata: paged
from __future__ import annotations

import math

import torch
from torch import Tensor


def paged_attention(
    query: Tensor, key_pool: Tensor, value_pool: Tensor, block_table: Tensor, lengths: Tensor
) -> Tensor:
    """在分页的缓存上解码：每个序列的一个新 token 看自己的全部 token。

    query       (batch, heads, head_dim)，任何浮点 dtype
    key_pool    (num_blocks, block_size, kv_heads, head_dim)，value_pool 相同：所有序列的块都在
                里面，没有先后次序
    block_table (batch, max_blocks)，整数：一个序列各块的块号，按 token 的先后排列；最后一块后
                面的项可能是任意块号
    lengths     (batch,)，1 到 max_blocks * block_size 的整数：序列有几个 token，包括最新的
    返回        (batch, heads, head_dim)

    序列的第 t 个 token 在表的第 t // block_size 项所指的块里，块内位置是 t % block_size。
    kv_heads 整除 heads，相邻的 query head 共用一个 key/value head。分数除以 √head_dim。
    两个序列可以共用块。

    不能用：F.scaled_dot_product_attention。只评判前向。
    """
    raise NotImplementedError("write me")
