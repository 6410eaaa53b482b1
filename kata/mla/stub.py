# attn-kata: mla
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    """Causal attention whose cache is one latent and one rotary key per position.

    Keys and values are made from a latent that all heads share; position enters by a part
    of its own, rope_dim wide: a rotary query for each head, one rotary key for all heads.

    x        (batch, length, hidden_dim): the newest positions, one or many; any float dtype
    cache    None for the first positions of a sequence; then what the call before returned
    returns  (output, cache): output is (batch, length, hidden_dim); the new cache is of any
             kind that you like, and is passed to the next call as it is; for each position
             it may hold latent_dim + rope_dim numbers and no more

    Scores are divided by √(head_dim + rope_dim). A query sees its own position and all
    before it, cached ones included. Rotary embedding rotates the pairs (i, i + rope_dim/2) by
    position · 10000^(-2i/rope_dim); positions go on where the cached ones end.
    head_dim is the width of a head's content query, key and value. No query compression and
    no norm on the latent. Fused or separate projections, bias or none, as you like.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        raise NotImplementedError("write me")
