import math
import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    out = torch.zeros_like(relative_position)
    n = num_buckets
    dist = -relative_position
    if bidirectional:
        n //= 2
        out = out + (dist < 0).to(out.dtype) * n
        dist = dist.abs()
    else:
        dist = dist.clamp(min=0)
    m = n // 2
    big = m + (torch.log(dist.clamp(min=m).double() / m) / math.log(max_distance / m) * (n - m)).to(out.dtype)
    return out + torch.where(dist < m, dist, big.clamp(max=n - 1))


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    q = torch.arange(key_length - query_length, key_length, device=table.device)
    k = torch.arange(key_length, device=table.device)
    return table[bucket(k - q[:, None], bidirectional, len(table), max_distance)].permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    n, m = query.shape[2], key.shape[2]
    s = query @ key.mT + bias(table, n, m, bidirectional)
    if not bidirectional:
        s = s.masked_fill(torch.ones(n, m, dtype=torch.bool, device=s.device).triu(m - n + 1), -torch.inf)
    return s.softmax(-1) @ value
