"""Buckets by their lower edges: torch.bucketize counts how many edges a distance has passed."""
from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn import functional as F


@lru_cache(maxsize=None)
def edges(buckets: int, max_distance: int) -> tuple[float, ...]:
    """Lower edges of buckets 1, 2, … of one direction."""
    exact = buckets // 2
    wide = buckets - exact
    ratio = max_distance / exact
    return (*map(float, range(1, exact + 1)), *(exact * ratio ** (j / wide) for j in range(1, wide)))


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    per_direction = num_buckets // 2 if bidirectional else num_buckets
    behind = -relative_position
    distance = behind.abs() if bidirectional else behind.clamp(min=0)
    steps = torch.tensor(edges(per_direction, max_distance), dtype=torch.float64, device=distance.device)
    number = torch.bucketize(distance.double(), steps, right=True)
    if bidirectional:
        number = number + per_direction * torch.lt(behind, 0)
    return number


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    # the difference of two positions takes key_length + query_length - 1 values: look each up once
    spread = torch.arange(1 - key_length, query_length, device=table.device)
    numbers = bucket(spread, bidirectional, table.shape[0], max_distance)
    line = F.embedding(numbers, table).T  # (heads, differences)
    keys = torch.arange(key_length, device=table.device)
    queries = keys[key_length - query_length :, None]
    return line[:, keys - queries + key_length - 1]


def attention(
    query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    query_length, key_length = query.shape[-2], key.shape[-2]
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key)
    logits = logits + bias(table, query_length, key_length, bidirectional, max_distance)
    if not bidirectional:
        visible = logits.new_ones(query_length, key_length).tril(key_length - query_length).bool()
        logits = logits.masked_fill(visible.logical_not(), -math.inf)
    return torch.einsum("bhqk,bhkv->bhqv", logits.softmax(dim=-1), value)


if __name__ == "__main__":
    print(bucket(torch.tensor([-40, -9, -3, 0, 3, 9, 40])).tolist(), "want 12 8 3 0 19 24 28")
