# attn-kata: mha
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """多头自注意力，每个 head 用宽度里自己的那一段。

    head_dim 是 hidden_dim // num_heads；hidden_dim 是 num_heads 的倍数。

    x               (batch, length, hidden_dim)，任何浮点 dtype
    attention_mask  能广播到 (batch, heads, length, length)：query（行）可以看 key（列）的
                    地方是 1 或 True，不可以的是 0 或 False；bool、整数或浮点；None 表示
                    不限制
    返回            (batch, length, hidden_dim)

    要有：合并 head 之后的输出投影。注意力权重上的 dropout 可有可无；合并或分开投影、有没有
    bias 都可以。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        raise NotImplementedError("write me")
