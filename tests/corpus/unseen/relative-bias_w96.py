from __future__ import annotations

from math import log

import torch
from torch import Tensor


def _one_direction(distance: Tensor, n: int, max_distance: int) -> Tensor:
    """Buckets 0 .. n - 1 of distances that are 0 or more."""
    exact = n // 2
    far = distance.clamp(min=exact).to(torch.float64)
    steps = (far / exact).log() / log(max_distance / exact) * (n - exact)
    return torch.where(distance < exact, distance, (exact + steps.long()).clamp(max=n - 1))


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    if not bidirectional:
        return _one_direction(relative_position.clamp(max=0).neg(), num_buckets, max_distance)
    half = num_buckets // 2
    behind = _one_direction(relative_position.abs(), half, max_distance)
    return torch.where(relative_position > 0, behind + half, behind)


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    num_buckets, heads = table.shape
    keys = torch.arange(key_length, device=table.device)
    queries = keys[key_length - query_length :]
    index = bucket(keys - queries.unsqueeze(1), bidirectional, num_buckets, max_distance)
    rows = table.index_select(0, index.flatten())
    return rows.view(heads, query_length, key_length)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    added = bias(table, query.size(-2), key.size(-2), bidirectional, max_distance)
    if not bidirectional:
        future = torch.ones_like(added, dtype=torch.bool).triu(1 + key.size(-2) - query.size(-2))
        added = added.masked_fill(future, -torch.inf)
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) + added
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return torch.einsum("bhqk,bhkv->bhqv", weights, value)
