from __future__ import annotations

import math

import torch
from torch import Tensor


def log_bucket(distance: Tensor, count: int, max_distance: int) -> Tensor:
    exact = count // 2
    far = distance.clamp(min=exact).double()
    share = torch.log(far / exact) / math.log(max_distance / exact)
    beyond = exact + torch.floor(share * (count - exact)).long()
    beyond = beyond.clamp(max=count - 1)
    return torch.where(distance < exact, distance, beyond)


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    if not bidirectional:
        behind = (-relative_position).clamp(min=0)
        return log_bucket(behind, num_buckets, max_distance)
    half = num_buckets // 2
    number = log_bucket(relative_position.abs(), half, max_distance)
    return torch.where(relative_position > 0, number + half, number)


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
    buckets = bucket(relative, bidirectional, table.size(0), max_distance)
    return table.t()[:, buckets]


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    rows, columns = query.shape[-2], key.shape[-2]
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key)
    logits = logits + bias(table, rows, columns, bidirectional, max_distance)
    if not bidirectional:
        last = torch.arange(columns - rows, columns, device=query.device)
        later = torch.arange(columns, device=query.device) > last[:, None]
        logits = logits.masked_fill(later, float("-inf"))
    weights = logits.softmax(dim=-1)
    return torch.einsum("bhqk,bhkv->bhqv", weights, value)
