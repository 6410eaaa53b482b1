from __future__ import annotations

import functools
import math

import torch
from torch import Tensor


@functools.lru_cache(maxsize=None)
def numbers(one_way: int, max_distance: int) -> tuple[int, ...]:
    """The bucket of distance 0, 1, 2, … up to max_distance; all beyond share its last entry."""
    exact = one_way // 2
    wide = one_way - exact
    found = list(range(exact))
    for distance in range(exact, max_distance + 1):
        step = math.log(distance / exact) / math.log(max_distance / exact) * wide
        found.append(min(exact + int(step), one_way - 1))
    return tuple(found)


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    one_way = num_buckets // 2 if bidirectional else num_buckets
    table = torch.tensor(numbers(one_way, max_distance), device=relative_position.device)
    relative_position = relative_position.long()
    behind = table[(-relative_position).clamp(0, max_distance)]
    if not bidirectional:
        return behind
    ahead = table[relative_position.clamp(0, max_distance)] + one_way
    return torch.where(relative_position > 0, ahead, behind)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    # a diagonal has one number: look up each difference once, and lay the strip out
    lowest, highest = 1 - key_length, query_length - 1
    differences = torch.arange(lowest, highest + 1, device=table.device)
    strip = table[bucket(differences, bidirectional, table.shape[0], max_distance)].T
    key = torch.arange(key_length, device=table.device)
    query = torch.arange(key_length - query_length, key_length, device=table.device)
    return strip[:, key - query[:, None] - lowest]


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    wide = torch.promote_types(query.dtype, torch.float32)
    added = bias(table, query.shape[-2], key.shape[-2], bidirectional, max_distance).to(wide)
    if not bidirectional:
        first = key.shape[-2] - query.shape[-2]
        seen = torch.ones(added.shape[-2:], dtype=torch.bool, device=added.device).tril(first)
        added = torch.where(seen, added, -torch.inf)

    def one_head(q, k, v, b):
        return torch.softmax(q @ k.mT + b, -1) @ v

    heads = map(one_head, *(t.to(wide).unbind(1) for t in (query, key, value)), added)
    return torch.stack(list(heads), 1).to(query.dtype)
