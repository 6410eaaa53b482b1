# attn-kata: relative-bias
from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=None)
def _by_distance(buckets: int, max_distance: int) -> tuple[int, ...]:
    """The bucket of the distances 0, 1, 2, ... of one direction, up to max_distance."""
    exact = buckets // 2
    numbers = list(range(exact))
    for d in range(exact, max_distance + 1):
        share = math.log(d / exact) / math.log(max_distance / exact)
        numbers.append(min(buckets - 1, exact + int(share * (buckets - exact))))
    return tuple(numbers)


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    one_way = num_buckets // 2 if bidirectional else num_buckets
    known = torch.tensor(_by_distance(one_way, max_distance), device=relative_position.device)
    ahead = relative_position > 0
    distance = relative_position.abs() if bidirectional else relative_position.clamp(max=0).neg()
    number = known[distance.clamp(max=known.numel() - 1).long()]
    return number + ahead * one_way if bidirectional else number


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    # every difference once: -(key_length - 1) ... query_length - 1
    differences = torch.arange(1 - key_length, query_length, device=table.device)
    row = table.t()[:, bucket(differences, bidirectional, table.size(0), max_distance)]
    first = torch.arange(query_length - 1, -1, -1, device=table.device)
    return row[:, first[:, None] + torch.arange(key_length, device=table.device)]


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    rows, columns = query.size(2), key.size(2)
    logits = torch.baddbmm(
        bias(table, rows, columns, bidirectional, max_distance).repeat(query.size(0), 1, 1),
        query.flatten(0, 1),
        key.flatten(0, 1).mT,
    )
    if not bidirectional:
        seen = torch.ones(rows, columns, dtype=torch.bool, device=logits.device).tril(columns - rows)
        logits = logits.where(seen, -torch.inf)
    return torch.bmm(logits.softmax(-1), value.flatten(0, 1)).unflatten(0, query.shape[:2])
