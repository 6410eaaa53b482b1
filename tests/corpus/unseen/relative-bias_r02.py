"""T5 bias. Distances are few, so the buckets come out of a small python function and a lookup row."""
import math
import torch


def _bucket_of(r, bidirectional, num_buckets, max_distance):
    n = num_buckets // 2 if bidirectional else num_buckets
    base = n if bidirectional and r > 0 else 0
    d = abs(r) if bidirectional else max(-r, 0)
    m = n // 2
    if d < m:
        return base + d
    wide = m + int(math.log(d / m) / math.log(max_distance / m) * (n - m))
    return base + min(wide, n - 1)


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    values, inverse = torch.unique(relative_position, return_inverse=True)
    lut = [_bucket_of(int(r), bidirectional, num_buckets, max_distance) for r in values.tolist()]
    return torch.tensor(lut, dtype=torch.long, device=relative_position.device)[inverse].reshape(relative_position.shape)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    num_buckets, heads = table.shape
    k = torch.arange(key_length, device=table.device)
    rel = k.unsqueeze(0) - k[-query_length:].unsqueeze(1)
    b = bucket(rel, bidirectional, num_buckets, max_distance)
    onehot = torch.nn.functional.one_hot(b, num_buckets).to(table.dtype)
    return torch.einsum("qkn,nh->hqk", onehot, table)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    q, k, v = query.double(), key.double(), value.double()
    s = torch.einsum("bhqd,bhkd->bhqk", q, k)
    s = s + bias(table, q.size(2), k.size(2), bidirectional, max_distance).double()[None]
    if not bidirectional:
        Q, K = s.shape[-2:]
        ok = (torch.arange(K) <= torch.arange(K - Q, K)[:, None]).to(s.device)
        s = torch.where(ok, s, -torch.inf)
    s = s - s.amax(dim=-1, keepdim=True)
    e = s.exp()
    return torch.einsum("bhqk,bhkv->bhqv", e / e.sum(-1, keepdim=True), v).to(query.dtype)
