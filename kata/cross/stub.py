# attn-kata: cross
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Attention in several heads from one sequence to another.

    head_dim is hidden_dim // num_heads; hidden_dim is a multiple of num_heads.

    query       (batch, query_length, hidden_dim), any float dtype
    key, value  (batch, key_length, hidden_dim); the two lengths differ
    mask        (batch, query_length, key_length), the same for all heads: 1 or True
                where a query (row) may attend to a key (column), 0 or False where
                not; bool, integer or float; None restricts nothing
    returns     (batch, query_length, hidden_dim)

    Wanted: a projection for each of the three, an output projection. Dropout on the
    attention weights and bias are optional.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        raise NotImplementedError("write me")
