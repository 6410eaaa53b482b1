# attn-kata: block
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    """pre-norm 的 Transformer block：先因果自注意力，再 MLP。

        attended = x + attention(norm_1(x))
        output   = attended + mlp(norm_2(attended))

    head_dim 是 hidden_dim // num_heads；hidden_dim 是 num_heads 的倍数。

    x        (batch, length, hidden_dim)，任何浮点 dtype
    返回     output，形状与 x 相同

    norm：两个各自的 LayerNorm，带可学习的 weight；eps 为 1e-5，加在根号里。
    注意力：因果，num_heads 个 head，有输出投影。
    MLP：hidden_dim 到 4 * hidden_dim，精确的 GELU（不是 tanh 近似），再回来。
    合并或分开投影、有没有 bias 都可以。
    可以用：nn.LayerNorm、nn.Linear、nn.GELU 这样的层。
    不能用：nn.TransformerEncoderLayer、nn.MultiheadAttention、
    F.scaled_dot_product_attention。
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
