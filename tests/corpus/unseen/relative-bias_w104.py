from functools import lru_cache
from math import inf, log

import torch


@lru_cache(maxsize=None)
def _bucket_of(r, both, num_buckets, max_distance):
    """One number at a time, as in the paper's text."""
    first = 0
    n = num_buckets
    if both:
        n //= 2
        if r > 0:
            first = n
    elif r > 0:
        r = 0
    d, exact = abs(r), n // 2
    if d < exact:
        return first + d
    share = log(d / exact) / log(max_distance / exact)
    return first + min(exact + int(share * exact), n - 1)


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    flat = [
        _bucket_of(r, bidirectional, num_buckets, max_distance)
        for r in relative_position.flatten().tolist()
    ]
    out = torch.tensor(flat, dtype=torch.long, device=relative_position.device)
    return out.view(relative_position.shape)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    k = torch.arange(key_length, device=table.device)
    q = k[key_length - query_length :]
    b = bucket(k.unsqueeze(0) - q.unsqueeze(1), bidirectional, table.size(0), max_distance)
    return torch.stack([column[b] for column in table.unbind(1)])


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    n_q, n_k = query.size(2), key.size(2)
    add = bias(table, n_q, n_k, bidirectional, max_distance)
    out = []
    for h in range(query.size(1)):
        s = torch.baddbmm(add[h].expand(query.size(0), -1, -1), query[:, h], key[:, h].mT)
        if not bidirectional:
            hide = torch.ones_like(s, dtype=torch.bool).triu(n_k - n_q + 1)
            s = s.masked_fill(hide, -inf)
        out.append(s.softmax(-1) @ value[:, h])
    return torch.stack(out, dim=1)
