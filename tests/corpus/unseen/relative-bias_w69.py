import math
import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    offset = torch.zeros_like(relative_position)
    if bidirectional:
        buckets_per_direction = num_buckets // 2
        is_ahead = relative_position > 0
        offset = is_ahead.to(torch.long) * buckets_per_direction
        distance = torch.abs(relative_position)
    else:
        buckets_per_direction = num_buckets
        minus_position = -relative_position
        distance = torch.clamp(minus_position, min=0)

    exact_buckets = buckets_per_direction // 2
    wide_buckets = buckets_per_direction - exact_buckets
    is_near = distance < exact_buckets

    safe_distance = torch.clamp(distance, min=1).to(torch.float64)
    log_distance = torch.log(safe_distance / exact_buckets)
    log_maximum = math.log(max_distance / exact_buckets)
    fraction = log_distance / log_maximum
    step = torch.round(fraction * wide_buckets).to(torch.long)
    far_bucket = exact_buckets + step
    far_bucket = torch.clamp(far_bucket, max=buckets_per_direction - 1)

    within_direction = torch.where(is_near, distance, far_bucket)
    return offset + within_direction


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    num_buckets, heads = table.shape
    first_query = key_length - query_length
    query_positions = torch.arange(query_length, device=table.device) + first_query
    key_positions = torch.arange(key_length, device=table.device)
    relative = key_positions[None, :] - query_positions[:, None]
    numbers = bucket(relative, bidirectional, num_buckets, max_distance)
    looked_up = table[numbers]
    heads_first = looked_up.permute(2, 0, 1)
    return heads_first


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    query_length = query.shape[2]
    key_length = key.shape[2]
    products = torch.matmul(query, key.transpose(-1, -2))
    position_bias = bias(table, query_length, key_length, bidirectional, max_distance)
    scores = products + position_bias
    if not bidirectional:
        ones = torch.ones(query_length, key_length, device=query.device)
        future = torch.triu(ones, diagonal=key_length - query_length + 1).bool()
        scores = scores.masked_fill(future, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value)
