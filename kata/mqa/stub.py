# attn-kata: mqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """Self-attention in which all query heads share one key head and one value head.

    head_dim is hidden_dim // num_heads; hidden_dim is a multiple of num_heads.

    x               (batch, length, hidden_dim), any float dtype
    attention_mask  (batch, heads, length, length), (batch, 1, length, length) or
                    (batch, 1, 1, length): 1 or True where a query (row) may attend to
                    a key (column), 0 or False where not; bool, integer or float; None
                    restricts nothing; a query with nothing to attend to is not compared
    returns         (batch, length, hidden_dim)

    Keys and values are head_dim wide; the heads are merged in order and go through an
    output projection. Fused or separate, one layer per head or raw parameters, bias or none:
    as you like. No dropout.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        raise NotImplementedError("write me")
