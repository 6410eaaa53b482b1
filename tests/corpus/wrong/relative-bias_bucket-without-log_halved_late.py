# wrong: relative-bias bucket-without-log line 9
from __future__ import annotations

import torch
from torch import Tensor


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    exact = num_buckets // 2
    first = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        first = (relative_position > 0).long() * num_buckets
        n = relative_position.abs()
    else:
        n = (-relative_position).clamp(min=0)
    ratio = torch.log(n.clamp(min=1).double() / exact) / torch.log(torch.tensor(max_distance / exact).double())
    large = exact + (ratio * (num_buckets - exact)).long()
    return first + torch.where(n < exact, n, large.clamp(max=num_buckets - 1))


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    k = torch.arange(key_length, device=table.device)
    q = torch.arange(query_length, device=table.device) + (key_length - query_length)
    which = bucket(k[None, :] - q[:, None], bidirectional, len(table), max_distance)
    return table[which].movedim(-1, 0)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    q_len, k_len = query.size(2), key.size(2)
    logits = query @ key.transpose(-1, -2) + bias(table, q_len, k_len, bidirectional, max_distance)
    if not bidirectional:
        mask = torch.full((q_len, k_len), float("-inf"), dtype=logits.dtype, device=logits.device)
        logits = logits + mask.triu(k_len - q_len + 1)
    return logits.softmax(-1) @ value
