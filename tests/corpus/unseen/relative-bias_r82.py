from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def _one_direction(distance: Tensor, buckets: int, max_distance: int) -> Tensor:
    exact = buckets // 2
    ratio = distance.clamp(min=exact).to(torch.float64) / exact
    share = ratio.log() / math.log(max_distance / exact)
    wide = exact + (share * (buckets - exact)).long()
    return torch.where(distance < exact, distance.long(), wide).clamp(max=buckets - 1)


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    if not bidirectional:
        return _one_direction((-relative_position).clamp(min=0), num_buckets, max_distance)
    half = num_buckets // 2
    near = _one_direction(relative_position.abs(), half, max_distance)
    return torch.where(relative_position > 0, near + half, near)


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    keys = torch.arange(key_length, device=table.device)
    relative = keys.unsqueeze(0) - keys[key_length - query_length :].unsqueeze(1)
    numbers = bucket(relative, bidirectional, num_buckets=table.shape[0], max_distance=max_distance)
    return F.embedding(numbers, table).movedim(-1, 0)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    rows, cols = query.shape[-2], key.shape[-2]
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key)
    scores = scores + bias(table, rows, cols, bidirectional, max_distance)
    if not bidirectional:
        position = torch.arange(cols, device=scores.device)
        scores = scores.masked_fill(position > position[cols - rows :, None], -math.inf)
    return torch.einsum("bhqk,bhkv->bhqv", scores.softmax(dim=-1), value)
