# attn-kata: sdpa
from __future__ import annotations

import math

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    """Scaled dot-product attention, without any layers.

    query    (batch, heads, query_length, head_dim), any float dtype
    key      (batch, heads, key_length, head_dim)
    value    (batch, heads, key_length, value_dim)
    mask     broadcasts to (batch, heads, query_length, key_length): 1 or True where a query
             may attend, 0 or False where not; bool, integer or float; None
             restricts nothing
    causal   the queries are the last query_length of the key_length positions, and none
             sees a key after its own position
    returns  (batch, heads, query_length, value_dim)

    Not to be used: F.scaled_dot_product_attention, nn.MultiheadAttention.
    """
    raise NotImplementedError("write me")
