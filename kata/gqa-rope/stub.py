# attn-kata: gqa-rope
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class GroupedQueryAttentionWithRope(nn.Module):
    """Causal grouped-query attention with rotary positions and a key-value cache.

    head_dim is hidden_dim // num_heads, an even number; num_heads is a multiple of
    num_kv_heads. Query head h uses key and value head h // (num_heads // num_kv_heads).

    x        (batch, length, hidden_dim): the newest positions, one or many; any float dtype
    cache    None for the first positions of a sequence; then what the call before returned
    returns  (output, cache): output is (batch, length, hidden_dim); the new cache is of any
             kind that you like, and is passed to the next call as it is

    In each head of query and key, the pair (i, i + head_dim/2) at position p is rotated by
    p · base^(-2i/head_dim), in radians: (a, b) becomes (a·cos − b·sin, b·cos + a·sin).
    Positions go on where the cache ends. A query sees its own position and all before it.
    The cache is the caller's: nothing is kept on self, and a cache that was given is not
    changed. Wanted: an output projection. Fused or separate projections, bias or none, as
    you like. Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """

    def __init__(
        self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000
    ) -> None:
        super().__init__()
        raise NotImplementedError("write me")

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        raise NotImplementedError("write me")
