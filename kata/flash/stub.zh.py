# attn-kata: flash
from __future__ import annotations

import math

import torch
from torch import Tensor


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    """按每块 block_size 个 key 分块做注意力，softmax 边走边算。

    query, key, value   (batch, heads, length, head_dim)，任何浮点 dtype
    block_size          每块有多少个 key；不必整除 length，可以比它大
    causal              query 看不到自己之后的 key
    返回                (batch, heads, length, head_dim)，要精确，只许有舍入误差

    中间的任何张量都不能超过
    2 * batch * heads * (length + block_size) * max(block_size, head_dim)
    个元素，每个张量单独算：不能有 length × length 的东西，连 mask 也不行。只评判前向。
    不能用：F.scaled_dot_product_attention。
    """
    raise NotImplementedError("write me")
