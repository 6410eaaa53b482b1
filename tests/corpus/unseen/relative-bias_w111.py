import math, torch
from math import log


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    r = relative_position.long()
    n = num_buckets >> bidirectional
    m = n >> 1
    d = r.abs() if bidirectional else (-r).relu()
    far = m + ((d.clamp_min(m).double() / m).log() / log(max_distance / m) * (n - m)).long()
    b = torch.where(d < m, d, far.clamp_max(n - 1))
    return b + n * (r > 0) if bidirectional else b


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    t = torch.arange(key_length, device=table.device)
    r = t - t[-query_length:, None]
    return table[bucket(r, bidirectional, len(table), max_distance)].movedim(-1, 0)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    Q, K = query.shape[-2], key.shape[-2]
    f = torch.promote_types(query.dtype, torch.float32)
    s = query.to(f) @ key.to(f).mT + bias(table, Q, K, bidirectional)
    if not bidirectional:
        s = s + torch.full((Q, K), -math.inf, dtype=f, device=s.device).triu(K - Q + 1)
    return (s.softmax(-1) @ value.to(f)).to(query.dtype)
