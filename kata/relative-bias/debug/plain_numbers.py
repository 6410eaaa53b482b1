import math

import torch


def one_bucket(offset, bidirectional, num_buckets, max_distance):
    first = 0
    if bidirectional:
        num_buckets = num_buckets // 2
        if offset > 0:
            first = num_buckets
        distance = abs(offset)
    else:
        distance = max(0, -offset)
    exact = num_buckets // 2
    if distance < exact:
        return first + distance
    grown = math.log(distance / exact) / math.log(max_distance / exact)
    step = exact + int(grown * (num_buckets - exact))
    return first + min(step, num_buckets - 1)


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    numbers = []
    for offset in relative_position.flatten().tolist():
        numbers.append(one_bucket(offset, bidirectional, num_buckets, max_distance))
    numbers = torch.tensor(numbers, device=relative_position.device)
    return numbers.view(relative_position.shape)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    first_query = key_length - query_length
    offsets = torch.arange(1 - key_length, key_length, device=table.device)
    numbers = bucket(offsets, bidirectional, len(table), max_distance)
    by_offset = table[numbers]
    rows = []
    for i in range(query_length):
        start = key_length - 1 - (first_query + i)
        rows.append(by_offset[start:start + key_length])
    return torch.stack(rows).permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    T, S = query.size(-2), key.size(-2)
    scores = query @ key.transpose(-2, -1) + bias(table, T, S, bidirectional, max_distance)
    if not bidirectional:
        mask = torch.tril(torch.ones(T, S, device=query.device), diagonal=S - T)
        scores = scores.masked_fill(mask == 0, float("-inf"))
    return scores.softmax(dim=-1) @ value
