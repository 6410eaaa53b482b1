# wrong: relative-bias bucket-log-span line 22
# fair: bucket-log-span 27
import math

import torch
from torch import nn


def _relative_position_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    relative_buckets = 0
    if bidirectional:
        num_buckets //= 2
        relative_buckets += (relative_position > 0).to(torch.long) * num_buckets
        relative_position = torch.abs(relative_position)
    else:
        relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))
    max_exact = num_buckets // 2
    is_small = relative_position < max_exact
    relative_position_if_large = max_exact + (
        torch.log(relative_position.float() / max_exact)
        / math.log(max_distance / max_exact)
        * num_buckets
    ).to(torch.long)
    relative_position_if_large = torch.min(
        relative_position_if_large, torch.full_like(relative_position_if_large, num_buckets - 1)
    )
    relative_buckets += torch.where(is_small, relative_position, relative_position_if_large)
    return relative_buckets


def compute_bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    device = table.device
    context_position = torch.arange(key_length, dtype=torch.long, device=device)[:, None]
    memory_position = torch.arange(key_length, dtype=torch.long, device=device)[None, :]
    relative_position = memory_position - context_position
    bucket = _relative_position_bucket(relative_position, bidirectional, table.shape[0], max_distance)
    values = nn.functional.embedding(bucket, table)
    values = values.permute([2, 0, 1])
    return values[:, -query_length:, :]


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    scores = torch.matmul(query, key.transpose(3, 2))
    position_bias = compute_bias(table, query.shape[2], key.shape[2], bidirectional, max_distance)
    if not bidirectional:
        q, k = scores.shape[-2:]
        hidden = torch.ones(q, k, dtype=torch.bool, device=scores.device).triu(k - q + 1)
        position_bias = position_bias.masked_fill(hidden, torch.finfo(scores.dtype).min)
    scores = scores + position_bias
    attn_weights = nn.functional.softmax(scores.float(), dim=-1).type_as(scores) if scores.dtype != torch.float64 else scores.softmax(-1)
    return torch.matmul(attn_weights, value)
