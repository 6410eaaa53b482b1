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
    distance = relative_position.abs()
    n = num_buckets // 2 if bidirectional else num_buckets
    m = n // 2
    ratio = torch.log(distance.clamp(min=m).double() / m) / math.log(max_distance / m)
    wide = (m + ratio * (n - m)).round().long().clamp(max=n - 1)
    result = torch.where(distance < m, distance, wide)
    if bidirectional:
        result = result + n * (relative_position > 0)
    return result


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    keys = torch.arange(key_length, device=table.device)
    queries = keys[key_length - query_length :]
    relative = keys.unsqueeze(0) - queries.unsqueeze(1)
    rows = bucket(relative, bidirectional, table.shape[0], max_distance)
    return torch.nn.functional.embedding(rows, table).movedim(-1, 0)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    query_length, key_length = query.shape[2], key.shape[2]
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key)
    scores = scores + bias(table, query_length, key_length, bidirectional, max_distance)
    if not bidirectional:
        places = torch.arange(key_length, device=query.device)
        hidden = places > places[key_length - query_length :, None]
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bhqk,bhkv->bhqv", weights, value)
