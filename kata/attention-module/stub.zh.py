# attn-kata: attention-module
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiheadAttention(nn.Module):
    """多头注意力，接口与 nn.MultiheadAttention 相同，batch 在前。

    head_dim 是 embed_dim // num_heads；embed_dim 是 num_heads 的倍数。

    query                 (batch, target, embed_dim)
    key, value            (batch, source, embed_dim)
    key_padding_mask      (batch, source)，bool：True 表示这个 key 是 padding，该样本的任何 query
                          都不能看它
    need_weights          是否返回权重
    attn_mask             (target, source)，所有样本和 head 共用；或者
                          (batch * num_heads, target, source)，第 b * num_heads + h 个属于样本 b
                          的 head h；bool：True 表示 query 不许看；浮点（dtype 与输入相同）：
                          加到 scores 上
    average_attn_weights  返回的权重是否对各 head 取平均
    返回                  (output, weights)：output 是 (batch, target, embed_dim)；weights 取平均
                          时是 (batch, target, source)，不取平均时是 (batch, num_heads, target,
                          source)，need_weights 为 False 时是 None

    两种 mask 可以同时传：任何一种遮住的都要遮住。scores 除以 √head_dim。一个什么也看不到的行，
    结果随意。
    要有：输出投影。合并或分开投影、每个 head 一层或直接用参数、有没有 bias 都可以。dropout 是权重上
    的丢弃率。
    不能用：F.scaled_dot_product_attention、nn.MultiheadAttention、
    F.multi_head_attention_forward。
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True
    ) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        raise NotImplementedError("write me")
