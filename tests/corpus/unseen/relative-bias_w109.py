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
    half = num_buckets // 2
    n, ahead = (half, (relative_position > 0) * half) if bidirectional else (num_buckets, 0)
    distance = relative_position.abs() if bidirectional else relative_position.neg().relu()
    exact = n // 2
    ratio = (distance / exact).clamp(min=1.0).double()
    wide = exact + ratio.log().div(math.log(max_distance / exact)).mul(n - exact).floor().long()
    return ahead + distance.where(distance < exact, wide.clamp(max=n - 1))


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    steps = torch.arange(key_length, device=table.device)
    relative = steps[None, :] - steps[key_length - query_length :, None]
    return table.t()[:, bucket(relative, bidirectional, table.size(0), max_distance)]


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    batch, heads, q_len, head_dim = query.shape
    k_len = key.size(2)
    start = bias(table, q_len, k_len, bidirectional, max_distance)
    if not bidirectional:
        hidden = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device)
        start = start.masked_fill(hidden.triu(1 + k_len - q_len), float("-inf"))
    scores = torch.baddbmm(
        start.repeat(batch, 1, 1),
        query.flatten(0, 1),
        key.flatten(0, 1).transpose(1, 2),
        alpha=head_dim**-0.5,
    )
    context = torch.bmm(scores.softmax(dim=-1), value.flatten(0, 1))
    return context.unflatten(0, (batch, heads))
