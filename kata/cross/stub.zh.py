# attn-kata: cross
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """多头注意力，从一个序列看另一个序列。

    head_dim 是 hidden_dim // num_heads；hidden_dim 是 num_heads 的倍数。

    query       (batch, query_length, hidden_dim)，任何浮点 dtype
    key, value  (batch, key_length, hidden_dim)；两个长度不同
    mask        (batch, query_length, key_length)，所有 head 共用：query（行）可以看 key（列）
                的地方是 1 或 True，不可以的是 0 或 False；bool、整数或浮点；None 表示不限制
    返回        (batch, query_length, hidden_dim)

    要有：三者各自的投影，以及输出投影。注意力权重上的 dropout 和 bias 可有可无。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        raise NotImplementedError("write me")
