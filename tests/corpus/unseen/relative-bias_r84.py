from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=None)
def _edges(n: int, max_distance: int) -> tuple[float, ...]:
    """The distances at which the buckets 1, 2, ... n - 1 of a direction begin."""
    m = n // 2
    growth = max_distance / m
    wide = (m * growth ** (j / (n - m)) for j in range(1, n - m))
    return (*map(float, range(1, m + 1)), *wide)


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    if bidirectional:
        n = num_buckets // 2
        distance, offset = relative_position.abs(), (relative_position > 0).long() * n
    else:
        n = num_buckets
        distance, offset = relative_position.neg().clamp(min=0), 0
    edges = torch.tensor(_edges(n, max_distance), dtype=torch.float64, device=relative_position.device)
    # how many buckets have begun at this distance; no logarithm, so none of 0
    return torch.bucketize(distance.double(), edges, right=True) + offset


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    # key - query takes key_length + query_length - 1 values only: look each up once, then let a
    # window of key_length slide over them. The last query's window begins with the smallest.
    differences = torch.arange(1 - key_length, query_length, device=table.device)
    numbers = bucket(differences, bidirectional, table.shape[0], max_distance)
    looked_up = table.T[:, numbers]  # (heads, differences)
    at = torch.arange(key_length, device=table.device) + torch.arange(query_length - 1, -1, -1, device=table.device)[:, None]
    return looked_up[:, at]


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    q_len, k_len = query.shape[-2], key.shape[-2]
    added = bias(table.to(wide), q_len, k_len, bidirectional, max_distance)
    if not bidirectional:
        ahead = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device).triu(k_len - q_len + 1)
        added = added.masked_fill(ahead, -math.inf)
    scores = torch.einsum("bhqd,bhkd->bhqk", query.to(wide), key.to(wide)) + added
    return (scores.softmax(dim=-1) @ value.to(wide)).to(query.dtype)
