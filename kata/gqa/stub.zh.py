# attn-kata: gqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """自注意力，几个 query head 共用一个 key head 和一个 value head。

    head_dim 是 hidden_dim // num_heads；hidden_dim 是 num_heads 的倍数，num_heads 是
    num_kv_heads 的倍数。共用的是相邻的 query head：第 h 个用第
    h // (num_heads // num_kv_heads) 个 key head 和 value head。

    x               (batch, length, hidden_dim)，任何浮点 dtype
    attention_mask  (batch, heads, length, length)、(batch, 1, length, length) 或
                    (batch, 1, 1, length)：query（行）可以看 key（列）的地方是 1 或 True，
                    不可以的是 0 或 False；bool、整数或浮点；None 表示不限制；什么都看不到
                    的 query 不参与比较
    返回            (batch, length, hidden_dim)

    key 和 value 宽 num_kv_heads * head_dim；各个 head 按次序合并，再过输出投影。合并或分开
    投影、每个 head 一层或直接用参数、有没有 bias 都可以。不要 dropout。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention。
    """

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        raise NotImplementedError("write me")
