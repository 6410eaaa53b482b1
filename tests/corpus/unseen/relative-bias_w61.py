import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    # T5Attention._relative_position_bucket
    relative_buckets = torch.zeros_like(relative_position)
    n = num_buckets
    if bidirectional:
        n = num_buckets // 2
        relative_buckets = relative_buckets + (relative_position > 0).to(torch.long) * n
        relative_position = torch.abs(relative_position)
    else:
        relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))
    # now relative_position is in the range [0, inf)

    # half of the buckets are for exact increments in positions
    max_exact = n // 2
    is_small = relative_position < max_exact

    # the other half are for logarithmically bigger bins up to max_distance
    ratio = relative_position.clamp(min=1).double() / max_exact
    relative_position_if_large = max_exact + (
        torch.log(ratio) / math.log(max_distance / max_exact) * (num_buckets - max_exact)
    ).to(torch.long)
    relative_position_if_large = torch.clamp(relative_position_if_large, max=n - 1)

    return relative_buckets + torch.where(is_small, relative_position, relative_position_if_large)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    device = table.device
    context_position = torch.arange(key_length - query_length, key_length, device=device)[:, None]
    memory_position = torch.arange(key_length, device=device)[None, :]
    relative_position_bucket = bucket(
        memory_position - context_position,
        bidirectional=bidirectional,
        num_buckets=table.size(0),
        max_distance=max_distance,
    )
    values = torch.nn.functional.embedding(relative_position_bucket, table)
    return values.permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    q_len, k_len = query.size(2), key.size(2)
    scores = torch.matmul(query, key.transpose(3, 2))
    scores = scores + bias(table, q_len, k_len, bidirectional, max_distance).unsqueeze(0)
    if not bidirectional:
        rows = torch.arange(k_len - q_len, k_len, device=scores.device).unsqueeze(1)
        cols = torch.arange(k_len, device=scores.device)
        scores = scores.masked_fill(cols > rows, float("-inf"))
    return torch.matmul(torch.softmax(scores, dim=-1), value)
