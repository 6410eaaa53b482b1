# ported from the T5 modeling file, self attention only
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


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
    max_exact = num_buckets // 2
    is_small = relative_position < max_exact
    if_large = max_exact + (
        torch.log(relative_position.clamp(min=1).double() / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).to(torch.long)
    if_large = torch.min(if_large, torch.full_like(if_large, num_buckets - 1))
    return relative_buckets + torch.where(is_small, relative_position, if_large)


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    context_position = torch.arange(query_length, dtype=torch.long, device=table.device)[:, None]
    memory_position = torch.arange(key_length, dtype=torch.long, device=table.device)[None, :]
    relative_position = memory_position - context_position
    index = bucket(
        relative_position, bidirectional, num_buckets=table.shape[0], max_distance=max_distance
    )
    return F.embedding(index, table).permute(2, 0, 1)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    query_length, key_length = query.shape[2], key.shape[2]
    scores = torch.matmul(query, key.transpose(3, 2))
    position_bias = bias(table, query_length, key_length, bidirectional, max_distance)
    scores = scores + position_bias.unsqueeze(0)
    if not bidirectional:
        past = torch.ones(query_length, key_length, dtype=torch.bool, device=query.device)
        past = past.tril(diagonal=key_length - query_length)
        scores = scores.masked_fill(past.logical_not(), torch.finfo(scores.dtype).min)
    return torch.matmul(F.softmax(scores, dim=-1), value)
