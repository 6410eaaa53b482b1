import math
from functools import partial
from itertools import starmap

import torch


def _bucket_of(n, max_distance, d):
    m = n // 2
    if d < m:
        return d
    return min(n - 1, m + int(math.log(d / m) / math.log(max_distance / m) * (n - m)))


def _both(n, far, r):
    return n * (r > 0) + _bucket_of(n, far, abs(r))


def _behind(n, far, r):
    return _bucket_of(n, far, max(0, -r))


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    rule = partial(_both, num_buckets // 2, max_distance) if bidirectional else partial(_behind, num_buckets, max_distance)
    distinct, where = relative_position.unique(return_inverse=True)
    numbers = torch.tensor([rule(r) for r in distinct.tolist()], dtype=torch.long, device=where.device)
    return numbers[where]


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    j = torch.arange(key_length, device=table.device)
    i = j[key_length - query_length:]
    which = bucket(j[None, :] - i[:, None], bidirectional, table.shape[0], max_distance)
    return torch.stack([column[which] for column in table.unbind(1)])


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    n, m = query.shape[-2], key.shape[-2]
    later = torch.ones(n, m, dtype=torch.bool, device=query.device).triu(m - n + 1)
    hide = (lambda s: s) if bidirectional else (lambda s: s.masked_fill(later, -math.inf))
    scores = torch.einsum("bhid,bhjd->bhij", query, key) + bias(table, n, m, bidirectional, max_distance)
    return torch.einsum("bhij,bhjv->bhiv", torch.softmax(hide(scores), -1), value)
