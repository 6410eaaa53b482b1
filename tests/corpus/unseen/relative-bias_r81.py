from __future__ import annotations

import math

import torch
from torch import Tensor


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    n = num_buckets // 2 if bidirectional else num_buckets
    upper = (relative_position > 0).long() * n if bidirectional else 0
    d = relative_position.abs() if bidirectional else (-relative_position).clamp(min=0)
    m = n // 2
    ratio = torch.log(d.clamp(min=m).double() / m) / math.log(max_distance / m)
    wide = (m + (ratio * (n - m)).floor().long()).clamp(max=n - 1)
    return torch.where(d < m, d, wide) + upper


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    # every difference k - q that can occur is looked up once; rows are then slices of that line
    differences = torch.arange(-(key_length - 1), key_length, device=table.device)
    line = table[bucket(differences, bidirectional, table.shape[0], max_distance)]
    first = key_length - query_length
    rows = [line[key_length - 1 - q : 2 * key_length - 1 - q] for q in range(first, key_length)]
    return torch.stack(rows).movedim(-1, 0)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    t, s = query.shape[-2], key.shape[-2]
    scores = query @ key.mT + bias(table, t, s, bidirectional, max_distance)
    if not bidirectional:
        later = torch.ones(t, s, dtype=torch.bool, device=query.device).triu(s - t + 1)
        scores = scores.masked_fill(later, float("-inf"))
    return scores.softmax(dim=-1) @ value
