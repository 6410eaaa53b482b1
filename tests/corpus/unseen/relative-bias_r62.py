"""T5's buckets by comparing with their edges, instead of taking logarithms of distances."""
from __future__ import annotations

from typing import List

import torch
from torch import Tensor


def _edges(n: int, max_distance: int) -> List[float]:
    """Where the wide buckets m+1, m+2, ... n-1 begin."""
    m: int = n // 2
    assert m >= 1 and max_distance > m
    return [m * (max_distance / m) ** (j / (n - m)) for j in range(1, n - m)]


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    assert not relative_position.is_floating_point()
    assert num_buckets % 2 == 0 and num_buckets >= 4
    n: int = num_buckets // 2 if bidirectional else num_buckets
    behind: Tensor = -relative_position.long()
    distance: Tensor = behind.abs() if bidirectional else behind.clamp(min=0)
    edges: Tensor = torch.tensor(_edges(n, max_distance), dtype=torch.float64, device=behind.device)
    wide: Tensor = n // 2 + torch.bucketize(distance.double(), edges, right=True)
    number: Tensor = torch.where(distance < n // 2, distance, wide)
    if bidirectional:
        number = number + n * (relative_position > 0).long()
    assert number.shape == relative_position.shape
    return number


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    assert query_length <= key_length
    key_at: Tensor = torch.arange(key_length, device=table.device)
    query_at: Tensor = key_at[key_length - query_length :]
    numbers = bucket(key_at - query_at[:, None], bidirectional, table.shape[0], max_distance)
    rows: Tensor = table.index_select(0, numbers.flatten())
    return rows.t().reshape(table.shape[1], query_length, key_length)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    tq, tk = query.shape[-2], key.shape[-2]
    scores: Tensor = torch.einsum("bhqd,bhkd->bhqk", query, key)
    scores = scores + bias(table, tq, tk, bidirectional, max_distance)
    if not bidirectional:
        ahead: Tensor = torch.ones(tq, tk, dtype=torch.bool, device=query.device).triu(tk - tq + 1)
        scores = scores.masked_fill(ahead, float("-inf"))
    return torch.einsum("bhqk,bhkv->bhqv", torch.softmax(scores, dim=-1), value)
