from __future__ import annotations
import math
import torch
from torch import Tensor


def bucket(relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    pos = relative_position
    per_side = num_buckets // 2 if bidirectional else num_buckets
    dist = pos.abs() if bidirectional else pos.clamp(max=0).neg()
    exact = per_side // 2
    log_part = (dist.clamp(min=exact).double() / exact).log() / math.log(max_distance / exact)
    large = exact + (log_part * (per_side - exact)).long()
    result = torch.where(dist < exact, dist, large.clamp(max=per_side - 1))
    if bidirectional:
        result = result + per_side * (pos > 0).long()
    return result


def bias(table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    keys = torch.arange(key_length, device=table.device)
    queries = keys[-query_length:]
    grid = keys[None, :] - queries[:, None]
    values = table[bucket(grid, bidirectional, table.shape[0], max_distance)]
    return values.permute(2, 0, 1)


def attention(query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128) -> Tensor:
    b, h, q, d = query.shape
    k = key.shape[2]
    scores = torch.bmm(query.reshape(b * h, q, d), key.reshape(b * h, k, d).transpose(1, 2)).view(b, h, q, k)
    position_bias = bias(table, q, k, bidirectional, max_distance)
    scores = scores + position_bias
    weights = torch.softmax(scores, dim=-1)
    return weights @ value
