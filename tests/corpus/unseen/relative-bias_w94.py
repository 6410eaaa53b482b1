import math

import torch
import torch.nn.functional as F


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    n = num_buckets // 2 if bidirectional else num_buckets
    m = n // 2
    if bidirectional:
        base = torch.where(relative_position > 0, n, 0)
        d = relative_position.abs()
    else:
        base = torch.zeros_like(relative_position)
        d = torch.maximum(-relative_position, base)
    log_part = torch.log(d.clamp(min=m).to(torch.float64) / m) / math.log(max_distance / m)
    far = m + torch.floor(log_part * (n - m)).to(torch.int64)
    out = base + torch.where(d < m, d, far)
    return torch.clamp(out, max=num_buckets - 1)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    i = torch.arange(key_length - query_length, key_length, device=table.device)
    j = torch.arange(key_length, device=table.device)
    idx = bucket(j[None] - i[:, None], bidirectional, table.size(0), max_distance)
    return F.embedding(idx, table).movedim(-1, 0)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    s = torch.einsum("bhqd,bhkd->bhqk", query, key)
    s = s + bias(table, s.size(2), s.size(3), bidirectional, max_distance).unsqueeze(0)
    if not bidirectional:
        offset = s.size(3) - s.size(2)
        ok = torch.ones(s.shape[-2:], device=s.device).tril(offset).bool()
        s = torch.where(ok, s, float("-inf"))
    return torch.einsum("bhqk,bhkv->bhqv", torch.softmax(s, dim=-1), value)
