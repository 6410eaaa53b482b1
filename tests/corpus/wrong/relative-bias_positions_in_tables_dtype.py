# wrong: relative-bias bucket-low-precision line 27
import math

import torch
from torch import Tensor


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    offset = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        offset = (relative_position > 0).long() * num_buckets
        distance = relative_position.abs()
    else:
        distance = (-relative_position).clamp(min=0)
    exact = num_buckets // 2
    log_ratio = torch.log(distance.clamp(min=1).double() / exact) / math.log(max_distance / exact)
    far = (exact + (log_ratio * (num_buckets - exact)).long()).clamp(max=num_buckets - 1)
    return offset + torch.where(distance < exact, distance, far)


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    position = torch.arange(key_length).to(table)
    relative = (position[None, :] - position[key_length - query_length :, None]).long()
    numbers = bucket(relative, bidirectional, table.size(0), max_distance)
    return table[numbers].permute(2, 0, 1)


def attention(
    query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    n, m = query.size(2), key.size(2)
    scores = query @ key.transpose(-1, -2) + bias(table, n, m, bidirectional, max_distance)
    if not bidirectional:
        scores = scores.masked_fill(torch.ones(n, m, dtype=torch.bool, device=query.device).triu(m - n + 1), -math.inf)
    return scores.softmax(-1) @ value
