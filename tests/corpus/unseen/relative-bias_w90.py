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
    n = num_buckets // 2 if bidirectional else num_buckets
    half = torch.where(relative_position > 0, n, 0) if bidirectional else 0
    distance = relative_position.abs()
    m = n // 2
    wide = torch.log(distance.clamp(min=1).double() / m) / math.log(max_distance / m) * (n - m)
    far = (m + wide.long()).clamp(max=n - 1)
    return half + torch.where(distance < m, distance, far)


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    k = torch.arange(key_length, device=table.device)
    q = k[key_length - query_length :]
    numbers = bucket(k - q[:, None], bidirectional, table.size(0), max_distance)
    return table[numbers].permute(2, 0, 1)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    nq, nk = query.size(-2), key.size(-2)
    s = query @ key.mT + bias(table, nq, nk, bidirectional, max_distance)
    if not bidirectional:
        s = s.masked_fill(torch.ones(nq, nk, device=s.device).triu(nk - nq + 1).bool(), -math.inf)
    return s.softmax(-1) @ value
