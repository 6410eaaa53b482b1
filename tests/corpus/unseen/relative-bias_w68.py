import math
from functools import partial

import torch


def _far(d, m, n, max_distance):
    ratio = torch.log(d.clamp(min=m).double() / m) / math.log(max_distance / m)
    return (m + (ratio * (n - m)).long()).clamp(max=n - 1)


def _one_direction(n, max_distance, d):
    m = n // 2
    return torch.where(d < m, d, _far(d, m, n, max_distance))


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    if not bidirectional:
        return _one_direction(num_buckets, max_distance, (-relative_position).clamp(min=0))
    half = num_buckets // 2
    side = (relative_position >= 0).long() * half
    return side + _one_direction(half, max_distance, relative_position.abs())


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    number = partial(bucket, bidirectional=bidirectional, num_buckets=len(table), max_distance=max_distance)
    k = torch.arange(key_length, device=table.device)
    q = k[-query_length:]
    return table[number(k - q.unsqueeze(-1))].movedim(-1, 0)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    nq, nk = query.shape[2], key.shape[2]
    scores = query @ key.transpose(2, 3) + bias(table, nq, nk, bidirectional, max_distance)
    if not bidirectional:
        seen = torch.ones(nq, nk, device=query.device, dtype=torch.bool).tril(nk - nq)
        scores = scores.masked_fill(~seen, float("-inf"))
    return scores.softmax(dim=-1) @ value
