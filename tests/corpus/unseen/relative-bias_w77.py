import math
import torch
import torch.nn.functional as F


def _log_bucket(d, m, n, max_distance):
    scaled = torch.log(d.double() / m) / math.log(max_distance / m) * (n - m)
    return torch.minimum(m + scaled.int(), torch.tensor(n - 1, device=d.device))


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    out = 0
    n = num_buckets
    if bidirectional:
        n = n // 2
        out = (relative_position > 0) * n
        d = relative_position.abs()
    else:
        d = (-relative_position).clamp(min=0)
    m = n // 2
    return out + torch.where(d < m, d, _log_bucket(d.clamp(min=m), m, n, max_distance))


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    i = torch.arange(query_length, device=table.device)
    j = torch.arange(key_length, device=table.device)
    rel = j.unsqueeze(0) - i.unsqueeze(1)
    idx = bucket(rel, bidirectional, table.shape[0], max_distance)
    return table.t()[:, idx]


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    Q, K = query.shape[2], key.shape[2]
    s = torch.matmul(query, key.transpose(2, 3)) + bias(table, Q, K, bidirectional, max_distance)
    if not bidirectional:
        pos_q = torch.arange(K - Q, K, device=s.device)
        pos_k = torch.arange(K, device=s.device)
        s = s.masked_fill(pos_k > pos_q[:, None], float("-inf"))
    return torch.matmul(F.softmax(s, dim=-1), value)
