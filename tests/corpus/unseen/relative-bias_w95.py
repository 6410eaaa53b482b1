import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
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
        torch.log(relative_position.clamp(min=1).float() / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).to(torch.long)
    relative_position_if_large = torch.min(
        relative_position_if_large, torch.full_like(relative_position_if_large, num_buckets - 1)
    )
    relative_buckets += torch.where(is_small, relative_position, relative_position_if_large)
    return relative_buckets


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    context_position = torch.arange(key_length, device=table.device)[-query_length:, None]
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    relative_position_bucket = bucket(
        memory_position - context_position,
        bidirectional=bidirectional,
        num_buckets=table.shape[0],
        max_distance=max_distance,
    )
    return torch.nn.functional.embedding(relative_position_bucket, table).permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    query_length, key_length = query.shape[2], key.shape[2]
    position_bias = bias(table, query_length, key_length, bidirectional=bidirectional)
    scores = torch.matmul(query, key.transpose(3, 2)) + position_bias
    if not bidirectional:
        causal = torch.ones(query_length, key_length, device=query.device).tril(key_length - query_length)
        scores = scores.masked_fill(causal == 0, torch.finfo(scores.dtype).min)
    attn_weights = torch.softmax(scores, dim=-1)
    return torch.matmul(attn_weights, value)
