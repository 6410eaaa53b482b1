# Buckets by counting: every wide bucket has a first distance, and a bucket's number is how many of
# these lie at or below the distance. No logarithm of a tensor, and none of 0.
from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor


@lru_cache
def starts(n: int, max_distance: int) -> tuple[int, ...]:
    """The smallest distance in each of buckets 1 ... n - 1 of one direction."""
    m = n // 2

    def number(d: int) -> int:
        if d < m:
            return d
        return min(n - 1, m + int(math.log(d / m) / math.log(max_distance / m) * (n - m)))

    first: dict[int, int] = {}
    for d in range(max_distance + 1):
        first.setdefault(number(d), d)
    # a bucket that nothing falls into begins where the next one does
    out, following = [], max_distance
    for b in range(n - 1, 0, -1):
        following = first.get(b, following)
        out.append(following)
    return tuple(reversed(out))


def bucket(relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32,
           max_distance: int = 128) -> Tensor:
    n = num_buckets // 2 if bidirectional else num_buckets
    behind = -relative_position.long()
    distance = behind.abs() if bidirectional else behind.clamp(min=0)
    edges = torch.tensor(starts(n, max_distance), device=distance.device)
    number = torch.bucketize(distance, edges, right=True)
    return number + n * (behind < 0) if bidirectional else number


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True,
         max_distance: int = 128) -> Tensor:
    # only key_length + query_length - 1 differences occur: look each up once, and slide over them
    differences = torch.arange(1 - key_length, query_length, device=table.device)
    numbers = bucket(differences, bidirectional, len(table), max_distance)
    line = table.T.index_select(1, numbers)                       # (heads, differences)
    # query i reads differences -(lag + i) ... key_length - 1 - (lag + i): the last query the first ones
    return line.unfold(1, key_length, 1).flip(1)


def attention(query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True,
              max_distance: int = 128) -> Tensor:
    q, k = query.shape[2], key.shape[2]
    s = query @ key.mT + bias(table, q, k, bidirectional, max_distance).to(query.dtype)
    if not bidirectional:
        s = s.masked_fill(torch.ones(q, k, dtype=torch.bool, device=s.device).triu(k - q + 1), -math.inf)
    return s.softmax(-1) @ value
