from __future__ import annotations

import math
from bisect import bisect_right

import torch
from torch import Tensor


def _firsts(n: int, max_distance: int) -> list[int]:
    """The smallest distance of each of the n buckets of one direction."""
    m = n // 2

    def number(d: int) -> int:
        if d < m:
            return d
        return min(n - 1, m + int(math.log(d / m) / math.log(max_distance / m) * (n - m)))

    numbers = [number(d) for d in range(max_distance + 1)]
    # a bucket that is skipped starts where the next one does
    return [next(d for d, b in enumerate(numbers) if b >= wanted) for wanted in range(n)]


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    n = num_buckets // 2 if bidirectional else num_buckets
    edges = torch.tensor(_firsts(n, max_distance), device=relative_position.device)
    behind = relative_position.long().neg()
    distance = behind.abs() if bidirectional else behind.clamp(min=0)
    number = torch.searchsorted(edges, distance.contiguous(), right=True) - 1
    return number + n * (behind < 0) if bidirectional else number


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    every = torch.arange(1 - key_length, key_length, device=table.device)
    rows = table[bucket(every, bidirectional, len(table), max_distance)]  # (2·key_length − 1, heads)
    # the row of query position p begins with difference −p; windows of key_length differences
    windows = rows.unfold(0, key_length, 1).flip(0)  # (key_length, heads, key_length)
    return windows[key_length - query_length :].transpose(0, 1)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    q_len, k_len = query.shape[2], key.shape[2]
    scores = query.to(wide) @ key.to(wide).mT
    scores = scores + bias(table, q_len, k_len, bidirectional, max_distance).to(wide)
    if not bidirectional:
        ahead = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device).triu(k_len - q_len + 1)
        scores = scores.masked_fill(ahead, float("-inf"))
    return (scores.softmax(-1) @ value.to(wide)).to(value.dtype)
