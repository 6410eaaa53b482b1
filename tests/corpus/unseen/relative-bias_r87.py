import math

import torch
import torch.nn.functional as F


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    relative_position = relative_position.to(torch.long)
    relative_buckets = torch.zeros_like(relative_position)
    if bidirectional:
        num_buckets //= 2
        relative_buckets = relative_buckets + (relative_position > 0).to(torch.long) * num_buckets
        distance = relative_position.abs()
    else:
        distance = -torch.min(relative_position, torch.zeros_like(relative_position))

    max_exact = num_buckets // 2
    is_small = distance < max_exact

    # clamp below so that log never sees a 0; those entries are not used anyway
    safe = distance.clamp(min=max_exact).to(torch.float64)
    large = max_exact + (
        torch.log(safe / max_exact) / math.log(max_distance / max_exact) * (num_buckets - max_exact)
    ).to(torch.long)
    large = large.clamp(max=num_buckets - 1)

    return relative_buckets + torch.where(is_small, distance, large)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    memory_position = torch.arange(key_length, dtype=torch.long, device=table.device)
    context_position = memory_position[key_length - query_length :]
    relative_position = memory_position[None, :] - context_position[:, None]
    buckets = bucket(
        relative_position,
        bidirectional=bidirectional,
        num_buckets=table.shape[0],
        max_distance=max_distance,
    )
    values = F.embedding(buckets, table)  # (query_length, key_length, heads)
    return values.permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    query_length, key_length = query.shape[2], key.shape[2]
    compute = torch.promote_types(query.dtype, torch.float32)
    scores = torch.matmul(query.to(compute), key.to(compute).transpose(3, 2))
    position_bias = bias(table, query_length, key_length, bidirectional, max_distance)
    scores = scores + position_bias.to(compute).unsqueeze(0)
    if not bidirectional:
        visible = torch.ones(query_length, key_length, dtype=torch.bool, device=query.device)
        visible = visible.tril(diagonal=key_length - query_length)
        scores = scores.masked_fill(~visible, float("-inf"))
    attn_weights = F.softmax(scores, dim=-1)
    return torch.matmul(attn_weights, value.to(compute)).to(query.dtype)
