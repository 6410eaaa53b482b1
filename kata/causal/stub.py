# attn-kata: causal
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """Self-attention in several heads, in which no position sees a later one.

    head_dim is hidden_dim // num_heads; hidden_dim is a multiple of num_heads.

    x        (batch, length, hidden_dim) with length at most block_size, any float
             dtype
    returns  (batch, length, hidden_dim)

    The mask is built in: position i may attend to positions 0 to i (1 = may attend).
    Wanted: the mask as a buffer, or made on x's device. An output projection and
    dropout are optional; fused or separate projections, bias or none, as you like.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
