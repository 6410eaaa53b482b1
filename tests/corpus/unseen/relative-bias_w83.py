# attn-kata: relative-bias
import math

import torch
from torch import Tensor


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    relative_buckets = 0
    if bidirectional:
        num_buckets //= 2
        relative_buckets = (relative_position > 0).to(torch.long) * num_buckets
        relative_position = torch.abs(relative_position)
    else:
        relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))
    max_exact = num_buckets // 2
    is_small = relative_position < max_exact
    large = max_exact + (
        torch.log(relative_position.clamp(min=1).float() / max_exact)
        / math.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).to(torch.long)
    large = torch.min(large, torch.full_like(large, num_buckets - 1))
    return relative_buckets + torch.where(is_small, relative_position, large)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    offset = key_length - query_length
    context_position = torch.arange(query_length, device=table.device)[:, None] + offset
    memory_position = torch.arange(key_length, device=table.device)[None, :]
    relative_position = context_position - memory_position
    idx = bucket(relative_position, bidirectional, table.shape[0], max_distance)
    return table[idx].permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    n, m = query.shape[2], key.shape[2]
    scores = query @ key.transpose(-1, -2)
    scores = scores + bias(table, n, m, bidirectional, max_distance).unsqueeze(0)
    if not bidirectional:
        seen = torch.ones(n, m, dtype=torch.bool, device=scores.device).tril(m - n)
        scores = scores.masked_fill(~seen, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
