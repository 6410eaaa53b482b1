"""T5's relative position bias (Raffel et al. 2020, section 2.1; buckets as in their code)."""

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
    """Return the number of the bucket of each key position minus query position.

    Small distances have a bucket each, larger ones share buckets that widen with the logarithm,
    and all from max_distance on share the last. Bidirectional, half of the buckets are for keys
    behind the query's position or on it, the other half for those ahead; else those ahead count
    as distance 0. Whole numbers of any shape; returns as many.
    """
    share = num_buckets // 2 if bidirectional else num_buckets
    first = (relative_position > 0) * share if bidirectional else 0
    distance = relative_position.abs() if bidirectional else (-relative_position).clamp(min=0)
    exact = share // 2
    # Below exact the logarithm is not used: it would be negative, and of 0 infinite.
    ratio = distance.clamp(min=exact) / exact
    growth = ratio.log() / math.log(max_distance / exact)
    spread = growth * (share - exact)
    steps = spread.long()
    coarse = (exact + steps).clamp(max=share - 1)
    within = torch.where(distance < exact, distance, coarse)
    number = first + within
    return number


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    """Return what is added to the scores, (heads, query_length, key_length).

    table is (num_buckets, heads), learned. The queries are the last query_length of the
    key_length positions.
    """
    start = key_length - query_length
    query_positions = torch.arange(start, key_length, device=table.device)  # (query_length)
    key_positions = torch.arange(key_length, device=table.device)  # (key_length)
    ahead = key_positions - query_positions[:, None]  # (query_length, key_length)
    buckets = bucket(ahead, bidirectional, table.shape[0], max_distance)
    looked_up = table[buckets]  # (query_length, key_length, heads)
    offsets = looked_up.permute(2, 0, 1)  # (heads, query_length, key_length)
    return offsets


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    """Attention as in T5: no scale, and the bias is all that it knows of positions.

    query is (batch, heads, query_length, head_dim), key (batch, heads, key_length, head_dim) and
    value (batch, heads, key_length, value_dim); any float dtype. Causal where it is not
    bidirectional. Returns (batch, heads, query_length, value_dim).
    """
    query_length, key_length = query.shape[-2], key.shape[-2]
    products = query @ key.mT  # (batch, heads, query_length, key_length)
    added = bias(table, query_length, key_length, bidirectional, max_distance)
    scores = products + added  # (batch, heads, query_length, key_length)
    masked_scores = scores
    lowest = torch.finfo(scores.dtype).min
    if not bidirectional:
        square = scores.new_ones(query_length, key_length)  # (query_length, key_length)
        seen = square.tril(diagonal=key_length - query_length)  # (query_length, key_length)
        masked_scores = scores.masked_fill(seen == 0, lowest)
    weights = masked_scores.softmax(dim=-1)  # (batch, heads, query_length, key_length)
    output = weights @ value  # (batch, heads, query_length, value_dim)
    return output
