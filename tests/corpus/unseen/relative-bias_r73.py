from __future__ import annotations

import functools
import math

import torch
from torch import Tensor


@functools.lru_cache(maxsize=64)
def _lookup(n: int, max_distance: int) -> tuple[int, ...]:
    """Bucket of every distance from 0 to max_distance, for n buckets in one direction."""
    exact = n // 2
    buckets = list(range(exact))
    for distance in range(exact, max_distance + 1):
        share = math.log(distance / exact) / math.log(max_distance / exact)
        buckets.append(min(n - 1, exact + int(share * (n - exact))))
    return tuple(buckets)


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    n = num_buckets // 2 if bidirectional else num_buckets
    table = torch.tensor(_lookup(n, max_distance), device=relative_position.device)
    relative_position = relative_position.long()
    if bidirectional:
        distance, first = relative_position.abs(), (relative_position > 0).long() * n
    else:
        distance, first = (-relative_position).clamp(min=0), 0
    return first + table[distance.clamp(max=max_distance)]


def bias(table: Tensor, query_length: int, key_length: int, *args, **kwargs) -> Tensor:
    """Further arguments: bidirectional and max_distance, as in bucket."""
    names = ("bidirectional", "max_distance")
    options = {**dict(zip(names, args)), **kwargs}
    keys = torch.arange(key_length, device=table.device)
    queries = keys[key_length - query_length :]
    numbers = bucket(keys[None, :] - queries[:, None], num_buckets=table.shape[0], **options)
    return table[numbers].permute(2, 0, 1)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    scores = query @ key.mT + bias(table, query.shape[2], key.shape[2], bidirectional, max_distance)
    if not bidirectional:
        ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
        scores = scores.masked_fill(ahead.triu(key.shape[2] - query.shape[2] + 1), -math.inf)
    return scores.softmax(dim=-1) @ value
