from __future__ import annotations

import math

import torch
from torch import Tensor


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    rel = relative_position.long()
    if bidirectional:
        num_buckets = num_buckets // 2
        start = torch.where(rel > 0, num_buckets, 0)
        distance = rel.abs()
    else:
        start = torch.zeros_like(rel)
        distance = (-rel).maximum(0)
    exact = num_buckets // 2
    # log(0) is avoided; those entries are not taken anyway
    share = (distance.clamp(min=exact).double() / exact).log() / math.log(max_distance / exact)
    wide = (exact + (share * (num_buckets - exact)).long()).clamp(max=num_buckets - 1)
    return start + torch.where(distance < exact, distance, wide)


def _relative(query_length: int, key_length: int, device: torch.device) -> Tensor:
    key_positions = torch.arange(key_length, device=device)
    return key_positions[None, :] - key_positions[key_length - query_length :, None]


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    rel = _relative(query_length, key_length, table.device)
    index = bucket(rel, bidirectional=bidirectional, num_buckets=len(table), max_distance=max_distance)
    return table.T[:, index]


def attention(
    query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    q_len, k_len = query.size(2), key.size(2)
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key) + bias(table, q_len, k_len, bidirectional, max_distance)
    if not bidirectional:
        logits = logits.masked_fill(_relative(q_len, k_len, query.device) > 0, float("-inf"))
    return torch.einsum("bhqk,bhkv->bhqv", logits.softmax(dim=-1), value)
