# attn-kata: cross-cache
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedCrossAttention(nn.Module):
    """A decoder's attention to an encoder's output, whose keys and values are kept.

    head_dim is hidden_dim // num_heads; hidden_dim is a multiple of num_heads.

    x               (batch, length, hidden_dim): the decoder's newest positions, one at least
    memory          (batch, memory_length, hidden_dim): the encoder's output
    memory_lengths  (batch,), whole numbers from 1 to memory_length: how many positions of each
                    memory count; what lies behind them is padding, which no query sees
    cache           None for the first positions of a sequence; then what the call before returned
    returns         (output, cache): output is (batch, length, hidden_dim); the cache is of any
                    kind that you like, and is passed to the next call as it is

    memory and memory_lengths come with every call and count in the first alone: with a cache
    they are not read, and may be anything. Every query sees the whole memory, without a causal
    mask. A call with a cache gives its layers no rows but those of x. The cache is the caller's:
    nothing is kept on self, and a cache that was given is not changed.
    Wanted: an output projection. Fused or separate, one layer per head or raw parameters, bias
    or none: as you like.
    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        raise NotImplementedError("write me")
