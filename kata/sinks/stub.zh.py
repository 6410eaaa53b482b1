# attn-kata: sinks
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """因果多头自注意力，每个 head 有一个可学习的 sink。

    每个 head 一个数，合起来是一个有 num_heads 个数的参数。每个 query 做 softmax 时，它和
    scores 并列，多占一项 logit：不缩放，也不遮。它没有 value：softmax 分给它的份额直接丢掉，
    所以每行权重之和小于 1。

    x        (batch, length, hidden_dim)，任何浮点 dtype
    返回     (batch, length, hidden_dim)

    head_dim 是 hidden_dim // num_heads；scores 除以 √head_dim。各 head 按顺序并排放。最后有
    输出投影。

    合并或分开投影、用模块或直接用参数、有没有 bias 都可以。不要 dropout。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
