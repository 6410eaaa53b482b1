from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=64)
def _starts(buckets: int, max_distance: int) -> tuple[int, ...]:
    """At which distance each bucket of one direction begins, found in plain integers and floats."""
    exact = buckets // 2
    starts = list(range(exact))
    for extra in range(buckets - exact):
        # the smallest whole distance whose logarithm reaches this bucket
        edge = exact * (max_distance / exact) ** (extra / (buckets - exact))
        starts.append(exact if extra == 0 else math.ceil(edge))
    return tuple(starts)


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    n = num_buckets // 2 if bidirectional else num_buckets
    distance = relative_position.abs() if bidirectional else relative_position.neg().clamp(min=0)
    starts = torch.tensor(_starts(n, max_distance), device=relative_position.device)
    number = torch.searchsorted(starts, distance.long().contiguous(), right=True) - 1
    if bidirectional:
        number = number + n * (relative_position > 0)
    return number


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    # a Toeplitz matrix: only query_length + key_length - 1 different distances, from the farthest ahead down
    reach = torch.arange(key_length - 1, -query_length - (key_length - query_length), -1, device=table.device)
    line = table[bucket(reach, bidirectional, table.size(0), max_distance)].mT         # heads, distances
    i = torch.arange(key_length - query_length, key_length, device=table.device)[:, None]
    j = torch.arange(key_length, device=table.device)
    return line[:, (key_length - 1) - (j - i)]


def attention(
    query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    m, n = query.size(-2), key.size(-2)
    added = bias(table, m, n, bidirectional, max_distance)
    if not bidirectional:
        added = added.masked_fill(torch.ones(m, n, dtype=torch.bool, device=added.device).triu(n - m + 1), -torch.inf)
    logits = torch.einsum("bhmd,bhnd->bhmn", query, key) + added
    return logits.softmax(dim=-1) @ value
