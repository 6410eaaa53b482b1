# attn-kata: mla
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    """因果注意力，每个位置只缓存一个潜向量和一个旋转 key。

    key 和 value 由所有 head 共用的潜向量算出；位置走单独的一部分，宽 rope_dim：每个 head 一个
    旋转 query，所有 head 共用一个旋转 key。

    x        (batch, length, hidden_dim)：最新的位置，一个或多个；任何浮点 dtype
    cache    序列刚开始时是 None，之后是上一次调用返回的东西
    返回     (output, cache)：output 是 (batch, length, hidden_dim)；新的 cache 用什么类型都
             可以，会原样交给下一次调用；每个位置最多存 latent_dim + rope_dim 个数

    分数除以 √(head_dim + rope_dim)。query 能看到自己和之前的所有位置，包括 cache 里的。旋转
    位置编码把第 (i, i + rope_dim/2) 对转过 position · 10000^(-2i/rope_dim)；位置接着 cache
    往下数。head_dim 是每个 head 的内容 query、内容 key 和 value 的宽度。query 不压缩，潜向量
    不做归一化。合并或分开投影、有没有 bias 都可以。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        raise NotImplementedError("write me")
