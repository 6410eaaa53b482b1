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
    exact = n // 2
    if bidirectional:
        distance = relative_position.abs()
        start = (relative_position > 0).long() * n
    else:
        distance = (-relative_position).clamp(min=0)
        start = 0
    far = distance.clamp(min=exact).double() / exact
    wide = exact + (far.log() / math.log(max_distance / exact) * (n - exact)).long()
    return start + torch.where(distance < exact, distance, wide.clamp(max=n - 1))


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    """One number for each difference; each query's row is a window onto them."""
    differences = torch.arange(1 - key_length, query_length, device=table.device)
    numbers = bucket(differences, bidirectional, table.shape[0], max_distance)
    line = table.index_select(0, numbers).T
    return line.unfold(-1, key_length, 1).flip(1)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    n_q, n_k = query.shape[2], key.shape[2]
    scores = torch.einsum("bhid,bhjd->bhij", query.to(wide), key.to(wide))
    scores = scores + bias(table, n_q, n_k, bidirectional, max_distance).to(wide)
    if not bidirectional:
        own = torch.arange(n_k - n_q, n_k, device=query.device).unsqueeze(1)
        scores = scores.masked_fill(torch.arange(n_k, device=query.device) > own, -math.inf)
    return torch.einsum("bhij,bhje->bhie", scores.softmax(-1), value.to(wide)).to(query.dtype)
