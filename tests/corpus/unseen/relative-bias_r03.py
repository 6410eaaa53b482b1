import math

import torch
from torch.nn import functional as F


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    if bidirectional:
        n = num_buckets // 2
        first = n * (relative_position > 0).long()
        distance = relative_position.abs()
    else:
        n = num_buckets
        first = torch.zeros_like(relative_position, dtype=torch.long)
        distance = (-relative_position).clamp(min=0)
    m = n // 2
    stretch = torch.log(distance.clamp(min=m).double() / m) / math.log(max_distance / m)
    wide = (m + (stretch * (n - m)).long()).clamp(max=n - 1)
    return first + torch.where(distance < m, distance.long(), wide)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    keys = torch.arange(key_length, device=table.device)
    queries = keys[key_length - query_length:]
    which = bucket(keys[None, :] - queries[:, None], bidirectional, table.shape[0], max_distance)
    return F.embedding(which, table).movedim(-1, 0)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    i, j = query.shape[-2], key.shape[-2]
    scores = torch.matmul(query, key.transpose(-2, -1))
    scores = scores + bias(table, i, j, bidirectional, max_distance).to(scores.dtype)
    if not bidirectional:
        ahead = torch.ones(i, j, dtype=torch.bool, device=scores.device).triu(j - i + 1)
        scores = scores.masked_fill(ahead, float("-inf"))
    return torch.matmul(torch.softmax(scores, dim=-1), value)
