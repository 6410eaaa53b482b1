# attn-kata: v4
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    """Self-attention with one head, as you would write it in an interview.

    x               (batch, length, hidden_dim), any float dtype
    attention_mask  (batch, length, length): 1 or True where a query (row) may attend
                    to a key (column), 0 or False where not; bool, integer or float;
                    None restricts nothing
    returns         (batch, length, hidden_dim)

    Wanted: dropout on the attention weights. An output projection is optional; fused
    or separate projections, bias or none, as you like.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        raise NotImplementedError("write me")
