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
    log_ratio = torch.log(relative_position.float().clamp(min=1) / max_exact)
    log_ratio = log_ratio / math.log(max_distance / max_exact)
    if_large = max_exact + (log_ratio * (num_buckets - max_exact)).to(torch.long)
    if_large = torch.min(if_large, torch.full_like(if_large, num_buckets - 1))
    relative_buckets += torch.where(is_small, relative_position, if_large)
    return relative_buckets


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    past = key_length - query_length
    context_position = torch.arange(past, key_length, device=table.device)[:, None]
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    relative_position = memory_position - context_position
    number = bucket(relative_position, bidirectional, table.shape[0], max_distance)
    values = torch.nn.functional.embedding(number, table)
    return values.permute([2, 0, 1])


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    q_len, k_len = query.shape[2], key.shape[2]
    scores = torch.matmul(query, key.transpose(3, 2))
    position_bias = bias(table, q_len, k_len, bidirectional, max_distance)
    scores = scores + position_bias
    if not bidirectional:
        ahead = torch.ones(q_len, k_len, device=query.device).triu(k_len - q_len + 1)
        scores = scores.masked_fill(ahead == 1, torch.finfo(scores.dtype).min)
    attn_weights = torch.softmax(scores, dim=-1)
    return torch.matmul(attn_weights, value)
