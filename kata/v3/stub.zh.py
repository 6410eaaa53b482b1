# attn-kata: v3
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV3(nn.Module):
    """单头自注意力，带 mask、dropout 和输出投影。

    x               (batch, length, hidden_dim)，任何浮点 dtype
    attention_mask  (batch, length, length)：query（行）可以看 key（列）的地方是 1 或 True，
                    不可以的是 0 或 False；bool、整数或浮点；None 表示不限制
    返回            (batch, length, hidden_dim)

    要有：注意力权重上的 dropout，以及输出投影。合并或分开投影、有没有 bias 都可以。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        raise NotImplementedError("write me")
