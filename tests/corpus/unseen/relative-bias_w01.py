import math

import torch


class _Buckets:
    def __init__(self, bidirectional, num_buckets, max_distance):
        self.two_sided = bidirectional
        self.n = num_buckets // 2 if bidirectional else num_buckets
        self.m = self.n // 2
        self.log_width = math.log(max_distance / self.m)

    def __call__(self, rel):
        d = rel.abs()
        log_part = torch.log(d.clamp(min=self.m).to(torch.float64) / self.m)
        wide = self.m + torch.floor(log_part / self.log_width * (self.n - self.m)).to(torch.int64)
        out = torch.where(d < self.m, d.to(torch.int64), wide.clamp_max(self.n - 1))
        if self.two_sided:
            out = out + self.n * rel.gt(0)
        return out


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    return _Buckets(bidirectional, num_buckets, max_distance)(relative_position)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    pos = torch.arange(key_length, device=table.device)
    rel = pos - pos[key_length - query_length:, None]
    which = bucket(rel, bidirectional, table.shape[0], max_distance)
    return table.t()[:, which]


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    """No 1/sqrt(d) in T5."""
    kw = dict(bidirectional=bidirectional, max_distance=max_distance)
    nq, nk = query.shape[-2], key.shape[-2]
    b = bias(table, nq, nk, **kw)
    if not bidirectional:
        i = torch.arange(nk - nq, nk, device=b.device)
        j = torch.arange(nk, device=b.device)
        b = torch.where(j[None] > i[:, None], torch.full_like(b, -math.inf), b)
    x = query.double() @ key.double().mT + b.double()
    return (torch.softmax(x, -1) @ value.double()).to(value.dtype)
