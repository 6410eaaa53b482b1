# attn-kata: differential
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    """因果自注意力，权重是两张 softmax 图之差。

    head_dim 是 hidden_dim // (2 * num_heads)。query 和 key 拆成 2 * num_heads 份，每份
    head_dim 宽；第 2h 和 2h + 1 份算出第 h 个 head 的两张图。value 拆成 num_heads 份，每份
    2 * head_dim 宽。

    x        (batch, length, hidden_dim)，任何浮点 dtype
    depth    这一层在模型里的序号，从 0 开始
    返回     (batch, length, hidden_dim)

    lambda_init = 0.8 - 0.6 * exp(-0.3 * depth)
    lambda      = exp(lq1 · lk1) - exp(lq2 · lk2) + lambda_init，其中 lq1、lk1、lq2、lk2 是
                  四个参数，各有 head_dim 个数，所有 head 共用
    head        = (map_1 - lambda * map_2) @ value，两张图都是因果的，除以 √head_dim
    每个 head 的输出在自己的 2 * head_dim 个特征上做 RMSNorm（eps 1e-5 在根号里面；所有 head
    共用一个有 2 * head_dim 个数的 weight），再乘以 1 - lambda_init；然后各 head 按次序合并，
    过输出投影。

    合并或分开投影、用模块或直接用参数、有没有 bias 都可以。不要 dropout。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
