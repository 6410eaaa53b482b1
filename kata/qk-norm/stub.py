# attn-kata: qk-norm
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class QKNormAttention(nn.Module):
    """Causal self-attention in which every head's queries and keys go through an RMSNorm.

    head_dim is hidden_dim // num_heads; heads lie side by side, in order.

    x        (batch, length, hidden_dim), any float dtype
    returns  (batch, length, hidden_dim)

    q, k, v   = x's projections, split into heads
    q'        = RMSNorm(q) over the head_dim features of each head, times query_gain
    k'        = RMSNorm(k) over the head_dim features of each head, times key_gain
    scores    = q' · k' / √head_dim, causal, softmax over the keys
    RMSNorm(u) = u / √(mean(u²) + 1e-6); no mean is subtracted

    query_gain and key_gain are two parameters of head_dim numbers each, shared by all heads.
    Values are not normed. The heads' outputs are merged and go through an output projection.

    Fused or separate, a module or raw parameters, bias or none: as you like. No dropout.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
