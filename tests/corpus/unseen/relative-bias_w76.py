from __future__ import annotations

import math

import torch
from torch import Tensor


def bucket(relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    if bidirectional:
        n = num_buckets // 2
        offset = torch.where(relative_position > 0, n, 0)
        distance = torch.abs(relative_position)
    else:
        n = num_buckets
        offset = 0
        distance = torch.relu(-relative_position)
    m = n // 2
    ratio = torch.log(distance.to(torch.float64).clamp_min(m) / m) / math.log(max_distance / m)
    far = (m + torch.floor(ratio * (n - m)).long()).clamp_max(n - 1)
    return offset + torch.where(distance < m, distance, far)


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    context_position = torch.arange(query_length, device=table.device).unsqueeze(1) + key_length - query_length
    memory_position = torch.arange(key_length, device=table.device).unsqueeze(0)
    relative_position = context_position - memory_position
    buckets = bucket(relative_position, bidirectional, table.size(0), max_distance)
    return torch.nn.functional.embedding(buckets, table).movedim(2, 0)


def attention(query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    q_len, k_len = query.size(-2), key.size(-2)
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key)
    logits = logits + bias(table, q_len, k_len, bidirectional, max_distance).unsqueeze(0)
    if not bidirectional:
        allowed = torch.ones(q_len, k_len, device=logits.device, dtype=torch.bool).tril(k_len - q_len)
        logits = torch.where(allowed, logits, -torch.inf)
    return torch.einsum("bhqk,bhkv->bhqv", torch.softmax(logits, dim=-1), value)
