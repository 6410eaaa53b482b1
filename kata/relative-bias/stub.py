# attn-kata: relative-bias
from __future__ import annotations

import math

import torch
from torch import Tensor


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    """Number the bucket of every relative position, as T5 does.

    relative_position  whole numbers, key position minus query position, any shape
    returns            whole numbers from 0 to num_buckets - 1, the same shape

    Bidirectional, each direction has num_buckets // 2 buckets: the lower half for keys behind the
    query or on it, the upper half for keys ahead. Else there is one direction with all of them,
    and keys ahead count as distance 0. Of a direction's n buckets, m = n // 2 are exact: distance
    d < m has bucket d. From m on it is

        m + int( log(d / m) / log(max_distance / m) * (n - m) ),  at most n - 1
    """
    raise NotImplementedError("write me")


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    """Look up what is added to the scores.

    table    (num_buckets, heads), learned
    returns  (heads, query_length, key_length)

    The queries are the last query_length of the key_length positions.
    """
    raise NotImplementedError("write me")


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    """softmax(query · keyᵀ + bias) · value, causal where it is not bidirectional.

    query    (batch, heads, query_length, head_dim), any float dtype
    key      (batch, heads, key_length, head_dim)
    value    (batch, heads, key_length, value_dim)
    returns  (batch, heads, query_length, value_dim)

    T5 does not divide by √head_dim. Not to be used: F.scaled_dot_product_attention.
    """
    raise NotImplementedError("write me")
