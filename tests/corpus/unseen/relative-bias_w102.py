import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    relative_buckets = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        relative_buckets += (relative_position >= 0).to(relative_position.dtype) * num_buckets
        relative_position = torch.abs(relative_position)
    else:
        relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))

    max_exact = num_buckets // 2
    is_small = relative_position < max_exact
    relative_position_if_large = max_exact + (
        torch.log(relative_position.double().clamp(min=1) / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).to(relative_position.dtype)
    relative_position_if_large = torch.min(
        relative_position_if_large, torch.full_like(relative_position_if_large, num_buckets - 1)
    )
    return relative_buckets + torch.where(is_small, relative_position, relative_position_if_large)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    context_position = torch.arange(key_length, device=table.device)[-query_length:, None]
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    buckets = bucket(
        memory_position - context_position,
        bidirectional=bidirectional,
        num_buckets=table.shape[0],
        max_distance=max_distance,
    )
    return table[buckets].permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    q_len, k_len = query.shape[-2], key.shape[-2]
    scores = torch.matmul(query, key.transpose(-1, -2))
    scores = scores + bias(table, q_len, k_len, bidirectional, max_distance)
    if not bidirectional:
        future = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device)
        scores = scores.masked_fill(future.triu(k_len - q_len + 1), float("-inf"))
    return torch.matmul(torch.softmax(scores, dim=-1), value)
