# attn-kata: v1
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    """单头自注意力：把公式写成代码。

    softmax(query · keyᵀ / √hidden_dim) · value，其中 query、key、value 都由 x 投影得到。

    x       (batch, length, hidden_dim)，任何浮点 dtype
    返回    (batch, length, hidden_dim)

    要有：三个可学习的投影。有没有 bias 都可以。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
