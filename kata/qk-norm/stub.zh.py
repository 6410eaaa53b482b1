# attn-kata: qk-norm
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class QKNormAttention(nn.Module):
    """因果自注意力，每个 head 的 query 和 key 都先过 RMSNorm。

    head_dim 是 hidden_dim // num_heads；各 head 按顺序并排放。

    x        (batch, length, hidden_dim)，任何浮点 dtype
    返回     (batch, length, hidden_dim)

    q, k, v   = x 的投影，拆成 head
    q'        = 在每个 head 的 head_dim 个特征上做 RMSNorm(q)，再乘 query_gain
    k'        = 在每个 head 的 head_dim 个特征上做 RMSNorm(k)，再乘 key_gain
    scores    = q' · k' / √head_dim，因果，沿 key 做 softmax
    RMSNorm(u) = u / √(mean(u²) + 1e-6)；不减均值

    query_gain 和 key_gain 是两个参数，各有 head_dim 个数，所有 head 共用。
    value 不归一化。各 head 的输出合并之后，过输出投影。

    合并或分开投影、用模块或直接用参数、有没有 bias 都可以。不要 dropout。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
