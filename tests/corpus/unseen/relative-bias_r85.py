import math
from functools import lru_cache

import torch


@lru_cache(maxsize=None)
def _one(d, n, max_distance):
    """Bucket of one distance among the n of a direction."""
    m = n // 2
    if d < m:
        return d
    return min(n - 1, m + int(math.log(d / m) / math.log(max_distance / m) * (n - m)))


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    n = num_buckets // 2 if bidirectional else num_buckets

    def number(r):
        if bidirectional:
            return _one(abs(r), n, max_distance) + (n if r > 0 else 0)
        return _one(max(-r, 0), n, max_distance)

    flat = [number(r) for r in relative_position.flatten().tolist()]
    out = torch.tensor(flat, dtype=torch.long, device=relative_position.device)
    return out.reshape(relative_position.shape)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    # only query_length + key_length - 1 differences occur: number these, then index
    low = 1 - key_length
    every = torch.arange(low, query_length, device=table.device)
    row = table[bucket(every, bidirectional, table.shape[0], max_distance)]
    i = torch.arange(key_length - query_length, key_length, device=table.device)
    j = torch.arange(key_length, device=table.device)
    return row.t()[:, j[None, :] - i[:, None] - low]


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    logits = torch.matmul(query, key.mT)
    logits = logits + bias(table, query.shape[-2], key.shape[-2], bidirectional, max_distance)
    if not bidirectional:
        seen = torch.ones_like(logits[0, 0], dtype=torch.bool).tril(key.shape[-2] - query.shape[-2])
        logits = torch.where(seen, logits, float("-inf"))
    return torch.matmul(logits.softmax(-1), value)
