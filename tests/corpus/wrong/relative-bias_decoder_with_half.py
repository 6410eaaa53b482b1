# wrong: relative-bias bucket-halved-always line 11
# fair: bucket-halved-always 19
"""A bias depends on the distance alone: work it out once for each, and lay it along diagonals."""
import math

import torch


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    ahead = relative_position > 0
    num_buckets //= 2
    if not bidirectional:
        relative_position = relative_position.masked_fill(ahead, 0)
    d = relative_position.abs()
    m = num_buckets // 2
    scale = (num_buckets - m) / (math.log(max_distance) - math.log(m))
    far = m + ((d.clamp(m).float().log() - math.log(m)) * scale + 1e-5).int()
    far[far >= num_buckets] = num_buckets - 1
    b = torch.where(d < m, d.int(), far)
    if bidirectional:
        b[ahead] += num_buckets
    return b.long()


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    distances = torch.arange(1 - key_length, query_length + key_length, device=table.device)
    line = table.index_select(0, bucket(distances, bidirectional, table.size(0), max_distance)).T
    rows = []
    for i in range(query_length):
        at = key_length - 1 - (key_length - query_length + i)
        rows.append(line[:, at : at + key_length])
    return torch.stack(rows, dim=1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    lq, lk = query.shape[2], key.shape[2]
    scores = query.matmul(key.transpose(-1, -2)) + bias(table, lq, lk, bidirectional, max_distance)[None]
    if not bidirectional:
        scores = scores + scores.new_full((lq, lk), -torch.inf).triu(lk - lq + 1)
    return scores.softmax(dim=-1).matmul(value)
