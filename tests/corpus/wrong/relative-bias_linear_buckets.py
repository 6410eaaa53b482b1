# wrong: relative-bias bucket-without-log line 13
# fair: bucket-without-log 20
import math

import numpy as np
import torch


def lookup(n, max_distance):
    """The bucket of every distance up to max_distance, of one direction."""
    exact = n // 2
    table = np.arange(max_distance + 1)
    return np.minimum(table, n - 1)


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    n = num_buckets // 2 if bidirectional else num_buckets
    table = torch.from_numpy(lookup(n, max_distance)).to(relative_position.device)
    if bidirectional:
        return table[relative_position.abs().clamp(max=max_distance)] + n * (relative_position > 0)
    return table[(-relative_position).clamp(0, max_distance)]


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    offsets = torch.arange(key_length, device=table.device)[None] - torch.arange(key_length - query_length, key_length, device=table.device)[:, None]
    return table[bucket(offsets, bidirectional, table.shape[0], max_distance)].transpose(1, 2).transpose(0, 1)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    scores = query @ key.swapaxes(-1, -2)
    scores += bias(table, query.shape[-2], key.shape[-2], bidirectional, max_distance)
    if not bidirectional:
        rows, columns = scores.shape[-2:]
        later = torch.ones(rows, columns, dtype=torch.bool, device=scores.device).triu(columns - rows + 1)
        scores = scores.masked_fill(later, -1e9 if scores.dtype is not torch.float16 else -6e4)
    return scores.softmax(-1) @ value
