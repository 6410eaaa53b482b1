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
    offset = torch.zeros_like(relative_position)
    num_buckets = num_buckets // 2
    if bidirectional:
        offset = torch.where(relative_position > 0, num_buckets, offset)
        distance = torch.abs(relative_position)
    else:
        distance = -torch.minimum(relative_position, torch.zeros_like(relative_position))

    max_exact = num_buckets // 2
    is_small = distance < max_exact
    ratio = torch.log(distance.clamp_min(max_exact).float() / max_exact) / math.log(max_distance / max_exact)
    far = max_exact + (ratio * (num_buckets - max_exact)).to(torch.long)
    far = torch.minimum(far, torch.full_like(far, num_buckets - 1))
    return offset + torch.where(is_small, distance, far)


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    context = torch.arange(query_length, device=table.device) + (key_length - query_length)
    memory = torch.arange(key_length, device=table.device)
    relative_position = memory.unsqueeze(0) - context.unsqueeze(1)
    index = bucket(relative_position, bidirectional, table.size(0), max_distance)
    return torch.nn.functional.embedding(index, table).movedim(-1, 0)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    position_bias = bias(table, query.size(2), key.size(2), bidirectional, max_distance)
    if not bidirectional:
        future = torch.ones(position_bias.shape[1:], dtype=torch.bool, device=table.device)
        future = future.triu(diagonal=1 + key.size(2) - query.size(2))
        position_bias = position_bias.masked_fill(future, float("-inf"))
    weights = (torch.einsum("bhqd,bhkd->bhqk", query, key) + position_bias).softmax(dim=-1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, value)
