# attn-kata: sinks
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """Causal multi-head self-attention with a learned sink for each head.

    Each head has one number, a parameter of num_heads numbers in all. It is one more logit in
    the softmax of every query, beside the scores: not scaled, not masked. It has no value: what
    the softmax gives it is dropped, and the weights of a row add up to less than 1.

    x        (batch, length, hidden_dim), any float dtype
    returns  (batch, length, hidden_dim)

    head_dim is hidden_dim // num_heads; scores are divided by √head_dim. Heads lie side by side,
    in order. An output projection comes last.

    Fused or separate, a module or raw parameters, bias or none: as you like. No dropout.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
