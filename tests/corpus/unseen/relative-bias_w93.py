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
    max_exact = num_buckets // 2
    offset = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        offset = (relative_position > 0).long() * num_buckets
        distance = relative_position.abs()
    else:
        distance = (-relative_position).clamp(min=0)
    ratio = distance.clamp(min=1).double() / max_exact
    far = max_exact + (ratio.log() / math.log(max_distance / max_exact) * (num_buckets - max_exact)).long()
    far = far.clamp(max=num_buckets - 1)
    return offset + torch.where(distance < max_exact, distance, far)


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    key_at = torch.arange(key_length, device=table.device)
    query_at = key_at[key_length - query_length :]
    number = bucket(key_at - query_at[:, None], bidirectional, table.shape[0], max_distance)
    return table[number].permute(2, 0, 1)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    n, m = query.shape[2], key.shape[2]
    scores = query @ key.mT + bias(table, n, m, bidirectional, max_distance)
    if not bidirectional:
        late = torch.ones(n, m, dtype=torch.bool, device=query.device).triu(m - n + 1)
        scores = scores.masked_fill(late, -math.inf)
    return scores.softmax(dim=-1) @ value
