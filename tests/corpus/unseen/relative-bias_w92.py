from __future__ import annotations

import math
from functools import partial

import torch
from torch import Tensor


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    """Transcribed from transformers' T5Attention._relative_position_bucket."""
    ret = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        ret = ret + (relative_position > 0).long() * num_buckets
        n = torch.abs(relative_position)
    else:
        n = -torch.min(relative_position, torch.zeros_like(relative_position))
    max_exact = num_buckets // 2
    is_small = n < max_exact
    large = max_exact + (
        torch.log(n.clamp(min=1).float() / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).to(torch.long)
    large = torch.min(large, torch.full_like(large, num_buckets - 1))
    return ret + torch.where(is_small, n, large)


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    place = torch.arange(key_length, device=table.device)
    relative = place[None, :] - place[-query_length:, None]
    look_up = partial(bucket, num_buckets=len(table), max_distance=max_distance)
    return table[look_up(relative, bidirectional)].permute(2, 0, 1)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    tq, tk = query.shape[2], key.shape[2]
    scores = torch.matmul(query, key.transpose(2, 3))
    scores = scores + bias(table, tq, tk, bidirectional)
    if not bidirectional:
        i = torch.arange(tk - tq, tk, device=scores.device)
        j = torch.arange(tk, device=scores.device)
        scores.masked_fill_(j > i[:, None], float("-inf"))
    return torch.matmul(torch.softmax(scores, -1), value)
