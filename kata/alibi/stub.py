# attn-kata: alibi
from __future__ import annotations

import math

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    """Return one positive slope for each head, (heads,), float32 or wider.

    heads a power of two: 2^(−8i/heads) for i = 1 … heads; one head: 2^−8. Other counts:
    the slopes of the largest power of two below, then every other one of the next power
    of two's, beginning with its first, as many as are missing.
    """
    raise NotImplementedError("write me")


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    """Return what is added to the scores, (heads, query_length, key_length).

    The queries are the last query_length of the key_length positions. −slope · distance
    for keys up to the query's own position, where it is 0; −inf for later keys.
    float32 or wider.
    """
    raise NotImplementedError("write me")


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Causal attention with the bias added to its scores.

    query    (batch, heads, query_length, head_dim), any float dtype
    key      (batch, heads, key_length, head_dim); query_length is at most key_length
    value    (batch, heads, key_length, value_dim)
    returns  (batch, heads, query_length, value_dim)

    Not to be used: F.scaled_dot_product_attention.
    """
    raise NotImplementedError("write me")
