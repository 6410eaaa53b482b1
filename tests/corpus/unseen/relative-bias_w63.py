from math import log

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    n = num_buckets
    shift = 0
    if bidirectional:
        n //= 2
        shift = torch.where(relative_position > 0, n, 0)
    distance = relative_position.abs()

    m = n // 2
    # every number is looked up in a list that plain Python makes
    longest = max(int(distance.max()), m) if distance.numel() else m
    numbers = list(range(m)) + [
        min(m + int(log(d / m) / log(max_distance / m) * (n - m)), n - 1) for d in range(m, longest + 1)
    ]
    lookup = torch.tensor(numbers, device=relative_position.device)
    return lookup[distance.long()] + shift


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    num_buckets, heads = table.shape
    key_pos = torch.arange(key_length, device=table.device)
    query_pos = key_pos[key_length - query_length:]
    rel = key_pos.view(1, -1) - query_pos.view(-1, 1)
    idx = bucket(rel, bidirectional, num_buckets, max_distance)
    return table.t().index_select(1, idx.flatten()).view(heads, query_length, key_length)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    b, h, q_len, _ = query.shape
    k_len = key.shape[2]
    position_bias = bias(table, q_len, k_len, bidirectional, max_distance)
    if not bidirectional:
        above = torch.triu(torch.ones(q_len, k_len, device=query.device), diagonal=1 + k_len - q_len)
        position_bias = position_bias.masked_fill(above > 0, float("-inf"))
    scores = torch.baddbmm(
        position_bias.expand(b, -1, -1, -1).reshape(b * h, q_len, k_len),
        query.reshape(b * h, q_len, -1),
        key.reshape(b * h, k_len, -1).transpose(1, 2),
    )
    weights = torch.softmax(scores, dim=-1)
    return torch.bmm(weights, value.reshape(b * h, k_len, -1)).view(b, h, q_len, -1)
