from __future__ import annotations

import math

import torch
from torch import Tensor


def _one_direction(distance: Tensor, count: int, max_distance: int) -> Tensor:
    exact = count // 2
    ratio = distance.clamp(min=exact) // exact
    logarithm = torch.log(ratio.float()) / math.log(max_distance / exact)
    coarse = exact + (logarithm * (count - exact)).to(distance.dtype)
    coarse = torch.minimum(coarse, torch.full_like(coarse, count - 1))
    return torch.where(distance < exact, distance, coarse)


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    if not bidirectional:
        return _one_direction((-relative_position).clamp(min=0), num_buckets, max_distance)
    per_side = num_buckets // 2
    side = (relative_position > 0).to(relative_position.dtype) * per_side
    return side + _one_direction(relative_position.abs(), per_side, max_distance)


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    key_position = torch.arange(key_length, device=table.device).unsqueeze(0)
    query_position = torch.arange(key_length - query_length, key_length, device=table.device).unsqueeze(1)
    numbers = bucket(key_position - query_position, bidirectional, table.shape[0], max_distance)
    return torch.nn.functional.embedding(numbers, table).movedim(-1, 0)


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
        behind = torch.ones(query_length, key_length, dtype=torch.bool, device=scores.device)
        scores = torch.where(behind.tril(key_length - query_length), scores, float("-inf"))
    return torch.einsum("bhqk,bhkv->bhqv", torch.softmax(scores, dim=-1), value)
