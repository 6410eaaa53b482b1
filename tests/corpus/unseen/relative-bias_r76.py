from __future__ import annotations

import functools
import math

import torch
from torch import Tensor


@functools.lru_cache
def _edges(n: int, max_distance: int) -> tuple[float, ...]:
    """the smallest distance of each of a direction's buckets 1 .. n - 1"""
    m = n // 2
    wide = [m * (max_distance / m) ** (t / (n - m)) for t in range(1, n - m)]
    return (*map(float, range(1, m + 1)), *wide)


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    back = -relative_position
    n = num_buckets // 2 if bidirectional else num_buckets
    distance = back.abs() if bidirectional else back.clamp(min=0)
    edges = torch.tensor(_edges(n, max_distance), dtype=torch.float64, device=back.device)
    number = torch.bucketize(distance.double(), edges, right=True)
    return number + n * (back < 0) if bidirectional else number


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    # every diagonal has one number: look up a line of them, and read it through a window
    line = torch.arange(1 - key_length, query_length, device=table.device)
    hot = torch.nn.functional.one_hot(bucket(line, bidirectional, table.shape[0], max_distance), table.shape[0])
    up = torch.promote_types(table.dtype, torch.float32)                  # many gradients meet in one entry
    values = hot.to(up) @ table.to(up)                                    # (query + key - 1, heads)
    return values.t().unfold(1, key_length, 1).flip(1).to(table.dtype)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    b, h, nq, _ = query.shape
    nk = key.shape[2]
    added = bias(table, nq, nk, bidirectional, max_distance).to(query.dtype)
    if not bidirectional:
        ahead = torch.ones(nq, nk, dtype=torch.bool, device=query.device).triu(1 + nk - nq)
        added = added.masked_fill(ahead, -math.inf)
    scores = torch.baddbmm(
        added.unsqueeze(0).expand(b, -1, -1, -1).reshape(b * h, nq, nk), query.flatten(0, 1), key.flatten(0, 1).mT
    )
    return torch.bmm(scores.softmax(-1), value.flatten(0, 1)).unflatten(0, (b, h))
