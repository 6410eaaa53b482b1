from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
import math

import torch
from torch import Tensor


@lru_cache(maxsize=64)
def _starts(n: int, max_distance: int) -> tuple[int, ...]:
    """The smallest distance of each of a direction's n buckets."""
    m = n // 2
    at = lambda d: d if d < m else m + int(math.log(d / m) / math.log(max_distance / m) * (n - m))
    starts, d = [0], 1
    while len(starts) < n:
        while at(d) < len(starts):
            d += 1
        # a bucket that no distance falls in starts where the next one does
        starts.append(d)
    return tuple(starts)


def bucket(relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    n = num_buckets >> bidirectional
    edges = torch.tensor(_starts(n, max_distance)[1:], device=relative_position.device)
    far = relative_position.abs() if bidirectional else relative_position.neg().clamp_min(0)
    number = torch.bucketize(far.to(edges.dtype), edges, right=True)
    return number + n * (relative_position > 0) if bidirectional else number


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    # there are only query_length + key_length - 1 different distances
    first = 1 - key_length
    strip = torch.arange(first, query_length, device=table.device)
    rows = table[bucket(strip, bidirectional, len(table), max_distance)]
    k, q = torch.arange(key_length, device=table.device), torch.arange(query_length, device=table.device)
    index = k - (q + key_length - query_length).unsqueeze(1) - first
    return rows[index].movedim(-1, 0)


def attention(query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    nq, nk = query.shape[2], key.shape[2]
    s = query @ key.mT + bias(table, nq, nk, bidirectional, max_distance)
    if not bidirectional:
        s = s.masked_fill(torch.ones(nq, nk, dtype=torch.bool, device=s.device).triu(nk - nq + 1), -math.inf)
    return s.softmax(-1) @ value
