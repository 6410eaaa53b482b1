# attn-kata: mha
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Self-attention in several heads, each on its own slice of the width.

    head_dim is hidden_dim // num_heads; hidden_dim is a multiple of num_heads.

    x               (batch, length, hidden_dim), any float dtype
    attention_mask  broadcasts to (batch, heads, length, length): 1 or True where a
                    query (row) may attend to a key (column), 0 or False where not;
                    bool, integer or float; None restricts nothing
    returns         (batch, length, hidden_dim)

    Wanted: an output projection after the heads are merged. Dropout on the attention
    weights is optional; fused or separate projections, bias or none, as you like.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        raise NotImplementedError("write me")
