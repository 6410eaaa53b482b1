import math
import torch


def _log_bucket(d, n, far):
    m = n // 2
    safe = torch.maximum(d, torch.tensor(m, device=d.device))
    far_part = m + torch.floor(torch.log(safe / m) / math.log(far / m) * (n - m)).to(d.dtype)
    return torch.where(d < m, d, far_part.clamp(max=n - 1))


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    if bidirectional:
        half = num_buckets // 2
        side = torch.where(relative_position > 0, half, 0)
        return side + _log_bucket(relative_position.abs(), half, max_distance)
    return _log_bucket((-relative_position).clamp(min=0), num_buckets, max_distance)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    dev = table.device
    k = torch.arange(key_length, device=dev)
    q = k[key_length - query_length:]
    idx = bucket(k.view(1, -1) - q.view(-1, 1), bidirectional, table.shape[0], max_distance)
    return torch.stack([table[:, h][idx] for h in range(table.shape[1])])


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    b, h, lq, d = query.shape
    lk = key.shape[2]
    s = torch.bmm(query.reshape(b * h, lq, d), key.reshape(b * h, lk, d).mT)
    s = s.view(b, h, lq, lk) / math.sqrt(d)
    s = s + bias(table, lq, lk, bidirectional, max_distance).unsqueeze(0)
    if not bidirectional:
        rows = torch.arange(lq, device=s.device).unsqueeze(1) + (lk - lq)
        cols = torch.arange(lk, device=s.device)
        s = s.masked_fill(cols > rows, float("-inf"))
    p = torch.softmax(s, dim=-1)
    return torch.matmul(p, value)
