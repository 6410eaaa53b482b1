# attn-kata: v2
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SelfAttentionV2(nn.Module):
    """Self-attention with one head, its three projections made in one.

    x       (batch, length, hidden_dim), any float dtype
    returns (batch, length, hidden_dim)

    Wanted: one matrix multiplication that makes query, key and value together.
    An output projection is optional; bias or none, as you like.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
