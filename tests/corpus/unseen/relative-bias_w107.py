from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    relative_buckets = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        relative_buckets = relative_buckets + (relative_position > 0).long() * num_buckets
        relative_position = torch.abs(relative_position)
    else:
        relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))

    # now relative_position is in the range [0, inf)
    max_exact = num_buckets // 2
    is_small = relative_position < max_exact

    # the other half is for logarithmically bigger bins up to max_distance
    relative_position_if_large = max_exact + (
        torch.log(relative_position.clamp(min=1).double() / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).long()
    relative_position_if_large = relative_position_if_large.clamp(max=num_buckets - 1)
    return relative_buckets + torch.where(is_small, relative_position, relative_position_if_large)


def compute_bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    context_position = memory_position[:, key_length - query_length :].T
    relative_position_bucket = bucket(
        memory_position - context_position,
        bidirectional=bidirectional,
        num_buckets=num_buckets,
        max_distance=max_distance,
    )
    return F.embedding(relative_position_bucket, table).permute(2, 0, 1)


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    return compute_bias(
        table, query_length, key_length, bidirectional, max_distance=max_distance
    )


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    q_len, k_len = query.size(2), key.size(2)
    scores = torch.matmul(query, key.transpose(3, 2))
    scores = scores + bias(table, q_len, k_len, bidirectional, max_distance)
    if not bidirectional:
        ahead = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device)
        scores = scores.masked_fill(ahead.triu(k_len - q_len + 1), float("-inf"))
    return torch.matmul(nn.functional.softmax(scores, dim=-1), value)
