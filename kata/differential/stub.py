# attn-kata: differential
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    """Causal self-attention whose weights are the difference of two softmax maps.

    head_dim is hidden_dim // (2 * num_heads). Queries and keys are split into 2 * num_heads
    parts, head_dim wide; parts 2h and 2h + 1 make the two maps of head h. Values are split
    into num_heads parts, 2 * head_dim wide.

    x        (batch, length, hidden_dim), any float dtype
    depth    the number of this layer in the model, counted from 0
    returns  (batch, length, hidden_dim)

    lambda_init = 0.8 - 0.6 * exp(-0.3 * depth)
    lambda      = exp(lq1 · lk1) - exp(lq2 · lk2) + lambda_init, where lq1, lk1, lq2 and lk2
                  are parameters of head_dim numbers each, shared by all heads
    head        = (map_1 - lambda * map_2) @ value, both maps causal and scaled by √head_dim
    Each head's output goes through an RMSNorm of its own 2 * head_dim features (eps 1e-5
    inside the root; one weight of 2 * head_dim numbers for all heads) and is multiplied by
    1 - lambda_init; then the heads are merged in order and go through an output projection.

    Fused or separate, a module or raw parameters, bias or none: as you like. No dropout.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError("write me")
