import torch


def edges(n, max_distance):
    """The first distance of each bucket but the first: 1, 2, … m, then wider and wider."""
    m = n // 2
    wide = torch.arange(n - m, dtype=torch.float64) / (n - m)
    return torch.cat([torch.arange(1.0, m, dtype=torch.float64), m * (max_distance / m) ** wide])


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    n = num_buckets // 2 if bidirectional else num_buckets
    back = relative_position.abs() if bidirectional else (-relative_position).clamp(min=0)
    b = torch.bucketize(back.double(), edges(n, max_distance).to(back.device))
    return torch.where(relative_position > 0, b + n, b) if bidirectional else b


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    k = torch.arange(key_length, device=table.device)
    rel = k - k[-query_length:, None]
    idx = bucket(rel, bidirectional, table.shape[0], max_distance)
    return torch.stack([column[idx] for column in table.unbind(1)])


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    i, j = query.shape[-2], key.shape[-2]
    s = torch.einsum("bhid,bhjd->bhij", query, key)
    s = s + bias(table, i, j, bidirectional, max_distance)
    if not bidirectional:
        seen = torch.ones(i, j, device=s.device).tril(j - i)
        s = s.masked_fill(seen == 0, -torch.inf)
    return torch.einsum("bhij,bhje->bhie", s.softmax(-1), value)
