# attn-kata: gqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """Self-attention in which several query heads share one key and value head.

    head_dim is hidden_dim // num_heads; hidden_dim is a multiple of num_heads, and
    num_heads of num_kv_heads. Query heads that share lie side by side: head h uses key and
    value head h // (num_heads // num_kv_heads).

    x               (batch, length, hidden_dim), any float dtype
    attention_mask  (batch, heads, length, length), (batch, 1, length, length) or
                    (batch, 1, 1, length): 1 or True where a query (row) may attend to
                    a key (column), 0 or False where not; bool, integer or float; None
                    restricts nothing; a query with nothing to attend to is not compared
    returns         (batch, length, hidden_dim)

    Keys and values are num_kv_heads * head_dim wide; the heads are merged in order and
    go through an output projection. Fused or separate, one layer per head or raw
    parameters, bias or none: as you like. No dropout.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        raise NotImplementedError("write me")
