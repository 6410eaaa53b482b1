# attn-kata: v2
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """单头自注意力，三个投影一次做完。

    x       (batch, length, hidden_dim)，任何浮点 dtype
    返回    (batch, length, hidden_dim)

    要有：一次矩阵乘法，同时得到 query、key 和 value。输出投影可有可无；有没有 bias 都可以。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
