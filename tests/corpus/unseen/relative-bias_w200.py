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
    if bidirectional:
        n = num_buckets // 2
        offset = torch.where(relative_position > 0, n, 0)
        d = relative_position.abs()
    else:
        n = num_buckets
        offset = torch.zeros_like(relative_position)
        d = (-relative_position).clamp(min=0)

    m = n // 2
    # log scale from m to max_distance; in double, and never the log of 0
    x = torch.log(d.clamp(min=m).double() / m) / math.log(max_distance / m)
    far = m + (x * (n - m)).long()
    b = offset + torch.where(d < m, d, far)
    return b.clamp(max=num_buckets - 1)


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    k = torch.arange(key_length, device=table.device)
    q = torch.arange(key_length - query_length, key_length, device=table.device)
    n = bucket(k[None, :] - q[:, None], bidirectional, table.size(0), max_distance)
    return torch.stack([table[:, h][n] for h in range(table.size(1))])


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    nq, nk = query.size(2), key.size(2)
    s = torch.einsum("bhqd,bhkd->bhqk", query, key)
    s = s + bias(table, nq, nk, bidirectional, max_distance)
    if not bidirectional:
        hidden = torch.ones(nq, nk, dtype=torch.bool, device=s.device).triu(nk - nq + 1)
        s = s.masked_fill(hidden, -math.inf)
    log_Z = torch.logsumexp(s, dim=-1, keepdim=True)
    return torch.einsum("bhqk,bhkv->bhqv", torch.exp(s - log_Z), value)
