# wrong: relative-bias bias-from-start line 25
import torch


def edges(n, max_distance, device):
    """Where each bucket of one direction begins: 0, 1, ..., m, then a geometric series."""
    m = n // 2
    exponents = torch.arange(n - m, dtype=torch.float64, device=device) / (n - m)
    wide = m * (max_distance / m) ** exponents
    return torch.cat([torch.arange(m, dtype=torch.float64, device=device), wide])


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    n = num_buckets // 2 if bidirectional else num_buckets
    distance = relative_position.abs() if bidirectional else relative_position.clamp(max=0).neg()
    starts = edges(n, max_distance, relative_position.device)
    number = torch.searchsorted(starts, distance.double().contiguous(), right=True) - 1
    if bidirectional:
        number = number + n * (relative_position > 0)
    return number


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    keys = torch.arange(key_length, device=table.device)
    queries = keys[:query_length]
    numbers = bucket(keys[None, :] - queries[:, None], bidirectional, table.size(0), max_distance)
    return table.t()[:, numbers]


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    q, k = query.size(-2), key.size(-2)
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key)
    scores = scores + bias(table, q, k, bidirectional, max_distance).unsqueeze(0)
    if not bidirectional:
        future = torch.arange(k, device=query.device) > torch.arange(k - q, k, device=query.device)[:, None]
        scores = scores.masked_fill(future, float("-inf"))
    return torch.einsum("bhqk,bhkv->bhqv", torch.softmax(scores, -1), value)
