# attn-kata: v1
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV1(nn.Module):
    """Self-attention with one head: the formula, in code.

    softmax(query · keyᵀ / √hidden_dim) · value, with query, key and value
    projected from x.

    x       (batch, length, hidden_dim), any float dtype
    returns (batch, length, hidden_dim)

    Wanted: three learnt projections. Bias or none, as you like.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
