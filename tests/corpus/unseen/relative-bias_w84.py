# attn-kata: relative-bias
import math
import torch
from torch import Tensor


def _log_bucket(d: Tensor, n: int, max_distance: int) -> Tensor:
    m = n // 2
    scaled = torch.log(d.double().clamp(min=1) / m) / math.log(max_distance / m)
    far = (m + (scaled * (n - m)).trunc().long()).clamp(max=n - 1)
    return torch.where(d < m, d, far)


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    if not bidirectional:
        return _log_bucket((-relative_position).clamp(min=0), num_buckets, max_distance)
    n = num_buckets // 2
    ahead = (relative_position > 0).long() * n
    return ahead + _log_bucket(relative_position.abs(), n, max_distance)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    pos = torch.arange(key_length, device=table.device)
    rel = pos[None, :] - pos[key_length - query_length :, None]
    return table[bucket(rel, bidirectional, len(table), max_distance)].movedim(-1, 0)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    n, d = query.shape[-2:]
    m = key.shape[-2]
    scores = query @ key.transpose(-1, -2) / math.sqrt(d)
    scores = scores + bias(table, n, m, bidirectional, max_distance)
    if not bidirectional:
        past = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
        scores = scores.masked_fill(~past, float("-inf"))
    return scores.softmax(dim=-1) @ value
