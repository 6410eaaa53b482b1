# attn-kata: block
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    """A pre-norm transformer block: causal self-attention, then an MLP.

        attended = x + attention(norm_1(x))
        output   = attended + mlp(norm_2(attended))

    head_dim is hidden_dim // num_heads; hidden_dim is a multiple of num_heads.

    x        (batch, length, hidden_dim), any float dtype
    returns  output, shaped as x

    Norms: two LayerNorms of their own, with a learned weight; eps 1e-5 inside the root.
    Attention: causal, in num_heads heads, with an output projection.
    MLP: hidden_dim to 4 * hidden_dim, exact GELU (not the tanh form), and back.
    Fused or separate projections, biases or none, as you like.
    May be used: layers such as nn.LayerNorm, nn.Linear, nn.GELU.
    Not to be used: nn.TransformerEncoderLayer, nn.MultiheadAttention,
    F.scaled_dot_product_attention.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
