import math

import torch
from torch import Tensor


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    result = torch.zeros_like(relative_position, dtype=torch.long)
    if bidirectional:
        num_buckets //= 2
        result = result + (relative_position > 0).long() * num_buckets
        distance = relative_position.abs()
    else:
        distance = (-relative_position).clamp(min=0)
    exact = num_buckets // 2
    wide = torch.log(distance.clamp(min=1).double() / exact) / math.log(max_distance / exact)
    far = exact + (wide * (num_buckets - exact)).long()
    far = far.clamp(max=num_buckets - 1)
    return result + torch.where(distance < exact, distance.long(), far)


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    key_position = torch.arange(key_length, device=table.device)
    query_position = key_position[key_length - query_length :]
    difference = key_position[None, :] - query_position[:, None]
    numbers = bucket(difference, bidirectional, max_distance=max_distance)
    return table[numbers].permute(2, 0, 1)


def attention(
    query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    n, m = query.size(2), key.size(2)
    scores = query @ key.mT + bias(table, n, m, bidirectional, max_distance)
    if not bidirectional:
        ahead = torch.ones(n, m, dtype=torch.bool, device=query.device).triu(m - n + 1)
        scores = scores.masked_fill(ahead, -math.inf)
    return scores.softmax(dim=-1) @ value
