import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    n = num_buckets // 2 if bidirectional else num_buckets
    m = n // 2
    off = (relative_position > 0) * n if bidirectional else torch.zeros_like(relative_position)
    d = relative_position.abs() if bidirectional else (-relative_position).clamp(min=0)
    far = m + (torch.log(d.clamp(min=1).double() / m) / math.log(max_distance / n) * (n - m)).long()
    return off + torch.where(d < m, d, far.clamp(max=n - 1))


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    k = torch.arange(key_length, device=table.device)
    q = k[key_length - query_length :]
    return table[bucket(k[None] - q[:, None], bidirectional, table.shape[0], max_distance)].permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    T, S = query.shape[-2], key.shape[-2]
    s = query @ key.mT + bias(table, T, S, bidirectional, max_distance)
    if not bidirectional:
        s = s.masked_fill(torch.ones_like(s, dtype=torch.bool).triu(S - T + 1), float("-inf"))
    return s.softmax(-1) @ value
