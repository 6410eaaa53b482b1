from __future__ import annotations

import math

import torch
from torch import Tensor


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    # transformers' _relative_position_bucket
    relative_buckets = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        relative_buckets = relative_buckets + (relative_position > 0).to(torch.long) * num_buckets
        relative_position = torch.abs(relative_position)
    else:
        relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))
    max_exact = num_buckets // 2
    is_small = relative_position < max_exact
    if_large = max_exact + (
        torch.log(relative_position.clamp(min=1).float() / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).to(torch.long)
    if_large = torch.min(if_large, torch.full_like(if_large, num_buckets - 1))
    return relative_buckets + torch.where(is_small, relative_position, if_large)


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    context_position = torch.arange(key_length, device=table.device)[-query_length:, None]
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    relative_position = context_position - memory_position
    index = bucket(relative_position, bidirectional, table.shape[0], max_distance)
    return torch.nn.functional.embedding(index, table).permute(2, 0, 1)


def attention(
    query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    scores = query @ key.transpose(-1, -2)
    scores = scores + bias(table, query.shape[-2], key.shape[-2], bidirectional, max_distance)
    if not bidirectional:
        q, k = scores.shape[-2:]
        ahead = torch.ones(q, k, dtype=torch.bool, device=scores.device).triu(k - q + 1)
        scores = scores.masked_fill(ahead, float("-inf"))
    return scores.softmax(dim=-1) @ value
