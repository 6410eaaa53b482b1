# attn-kata: window
from __future__ import annotations

import math

import torch
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """滑动窗口的因果注意力：每个位置看最近的 window 个位置。

    query, key, value  (batch, heads, length, head_dim)，任何浮点 dtype
    window             1 或更大，可以比 length 大；自己的位置也算：query i 看得到满足
                       i - window < j <= i 的 key j
    返回               (batch, heads, length, head_dim)

    不能用：F.scaled_dot_product_attention、flex attention。
    """
    raise NotImplementedError("write me")
