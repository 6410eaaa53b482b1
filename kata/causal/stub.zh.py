# attn-kata: causal
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """多头自注意力，任何位置都看不到后面的位置。

    head_dim 是 hidden_dim // num_heads；hidden_dim 是 num_heads 的倍数。

    x        (batch, length, hidden_dim)，length 不超过 block_size，任何浮点 dtype
    返回     (batch, length, hidden_dim)

    mask 是内建的：位置 i 可以看 0 到 i（1 = 可以看）。
    要有：mask 是 buffer，或在 x 所在的 device 上现造。输出投影和 dropout 可有可无；合并或
    分开投影、有没有 bias 都可以。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
