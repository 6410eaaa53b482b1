import math

import torch
from torch import Tensor


def exact_or_log(distance: Tensor, buckets: int, max_distance: int) -> Tensor:
    exact = buckets // 2
    ratio = torch.log(distance.clamp(min=exact).to(torch.float64) / exact) / math.log(max_distance / exact)
    wide = exact + torch.floor(ratio * (buckets - exact)).to(distance.dtype)
    return torch.where(distance < exact, distance, torch.clamp(wide, max=buckets - 1))


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    if not bidirectional:
        return exact_or_log(torch.relu(-relative_position), num_buckets, max_distance)
    half = num_buckets // 2
    side = half * (relative_position > 0).to(relative_position.dtype)
    return side + exact_or_log(relative_position.abs(), half, max_distance)


def relative_positions(query_length: int, key_length: int, device) -> Tensor:
    queries = torch.arange(query_length, device=device)
    keys = torch.arange(key_length, device=device)
    return keys[None, :] - queries[:, None]


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    places = relative_positions(query_length, key_length, table.device)
    buckets = bucket(places, bidirectional, table.shape[0], max_distance)
    return torch.nn.functional.embedding(buckets, table).movedim(-1, 0)


def attention(
    query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    query_length, key_length = query.shape[2], key.shape[2]
    scores = query @ key.transpose(2, 3) + bias(table, query_length, key_length, bidirectional, max_distance)
    if not bidirectional:
        seen = torch.ones(query_length, key_length, dtype=torch.bool, device=query.device)
        scores = scores.where(seen.tril(key_length - query_length), -math.inf)
    return torch.softmax(scores, -1) @ value
