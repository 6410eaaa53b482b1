# attn-kata: relative-bias
import math
import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    rp = relative_position.long()
    if bidirectional:
        n = num_buckets // 2
        base = torch.where(rp > 0, n, 0)
        dist = rp.abs()
    else:
        n = num_buckets
        base = torch.zeros_like(rp)
        dist = (-rp).clamp(min=0)
    m = n // 2
    ratio = torch.log(dist.clamp(min=m).double() / m) / math.log(max_distance / m)
    wide = (m + (ratio * (n - m)).long()).clamp(max=n - 1)
    return base + torch.where(dist < m, dist, wide)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    keys = torch.arange(key_length, device=table.device)
    rel = keys[None, :] - keys[key_length - query_length:, None]
    which = bucket(rel, bidirectional, table.shape[0], max_distance)
    return table.index_select(0, which.flatten()).view(*which.shape, -1).permute(2, 0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    n, m = query.shape[-2], key.shape[-2]
    s = torch.einsum("bhqd,bhkd->bhqk", query, key)
    s = s + bias(table, n, m, bidirectional, max_distance)
    if not bidirectional:
        s = s.masked_fill(torch.ones(n, m, dtype=torch.bool, device=s.device).triu(m - n + 1), -torch.inf)
    return torch.einsum("bhqk,bhkd->bhqd", s.softmax(-1), value)
