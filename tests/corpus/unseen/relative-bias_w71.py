import math, torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    r, n = relative_position, num_buckets // (1 + bidirectional)
    m, d = n // 2, (r.abs() if bidirectional else (-r).clamp(0))
    w = m + (torch.log(d.clamp(m).double() / m) / math.log(max_distance / m) * (n - m)).long()
    return torch.where(d < m, d, w.clamp(max=n - 1)) + (r > 0) * n * bidirectional


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    n, h = table.shape
    k = torch.arange(key_length, device=table.device)
    b = bucket(k - k[key_length - query_length:, None], bidirectional, n, max_distance)
    return table.reshape(h, n)[:, b]


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    q, k = query.shape[2], key.shape[2]
    s = query @ key.mT + bias(table, q, k, bidirectional, max_distance)
    if not bidirectional:
        s = s.masked_fill(s.new_ones(q, k).triu(k - q + 1) > 0, -math.inf)
    return s.softmax(-1) @ value
