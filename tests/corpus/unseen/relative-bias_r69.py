import math
import torch
from torch.nn import functional as F


def _one(rel, bidirectional, num_buckets, max_distance):
    """plain Python, one number"""
    n, off = (num_buckets // 2, num_buckets // 2 if rel > 0 else 0) if bidirectional else (num_buckets, 0)
    d = abs(rel) if bidirectional else max(-rel, 0)
    m = n // 2
    if d >= m:
        d = min(n - 1, m + int(math.log(d / m) / math.log(max_distance / m) * (n - m)))
    return off + d


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    if relative_position.numel() == 0:
        return relative_position.clone()
    lo, hi = int(relative_position.min()), int(relative_position.max())
    lut = torch.tensor([_one(r, bidirectional, num_buckets, max_distance) for r in range(lo, hi + 1)],
                       device=relative_position.device)
    return lut[relative_position.long() - lo]


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    # 只需要一条对角线的值，再取窗口
    rel = torch.arange(-(key_length - 1), key_length, device=table.device)
    line = F.embedding(bucket(rel, bidirectional, table.shape[0], max_distance), table)      # 2K-1, heads
    q = torch.arange(key_length - query_length, key_length, device=table.device)
    idx = torch.arange(key_length, device=table.device) - q[:, None] + key_length - 1
    return line[idx].movedim(-1, 0)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    tq, tk = query.shape[2], key.shape[2]
    s = torch.einsum("bhqd,bhkd->bhqk", query, key) + bias(table, tq, tk, bidirectional, max_distance)
    if not bidirectional:
        s = s.masked_fill(torch.ones(tq, tk, device=s.device).triu(tk - tq + 1).bool(), -math.inf)
    return torch.einsum("bhqk,bhkd->bhqd", s.softmax(-1), value)
