# attn-kata: relative-bias
from __future__ import annotations

import math

import torch
from torch import Tensor


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    """T5 的分桶：近的一个距离一个桶，远的按对数"""
    n = num_buckets // 2 if bidirectional else num_buckets
    m = n // 2
    if bidirectional:
        base = torch.where(relative_position > 0, n, 0)
        d = relative_position.abs()
    else:
        base = torch.zeros_like(relative_position)
        d = relative_position.neg().clamp(min=0)
    # d < m 的部分不用对数，先抬到 m，避免 log(0)
    log_part = torch.log(d.clamp(min=m).to(torch.float64) / m) / math.log(max_distance / m) * (n - m)
    wide = torch.clamp(m + log_part.to(torch.int64), max=n - 1)
    return base + torch.where(d < m, d, wide)


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    num_buckets, heads = table.shape
    q = torch.arange(query_length, device=table.device) + (key_length - query_length)
    k = torch.arange(key_length, device=table.device)
    index = bucket(k.unsqueeze(0) - q.unsqueeze(1), bidirectional, num_buckets, max_distance)
    return table[index].reshape(heads, query_length, key_length)


def attention(
    query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    n, m = query.size(-2), key.size(-2)
    scores = torch.matmul(query, key.mT)            # T5 不除以 sqrt(d)
    scores = scores + bias(table, n, m, bidirectional, max_distance)
    if not bidirectional:
        ahead = torch.arange(m, device=query.device) > torch.arange(m - n, m, device=query.device)[:, None]
        scores = scores.masked_fill(ahead, float("-inf"))
    return torch.matmul(torch.softmax(scores, dim=-1), value)
