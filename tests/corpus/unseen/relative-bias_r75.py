import math
import torch
from dataclasses import dataclass


@dataclass(frozen=True)
class T5Buckets:
    bidirectional: bool
    total: int
    far: int

    @property
    def n(self):
        return self.total // 2 if self.bidirectional else self.total

    def one_way(self, d):
        m = self.n // 2
        ratio = torch.log(d.clamp(min=m).double() / m) / math.log(self.far / m)
        coarse = m + (ratio * (self.n - m)).long()
        return torch.where(d < m, d, coarse.clamp_max(self.n - 1))

    def __call__(self, rel):
        rel = rel.long()
        if not self.bidirectional:
            return self.one_way((-rel).clamp_min(0))
        return self.one_way(rel.abs()) + self.n * rel.gt(0)


def bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    return T5Buckets(bidirectional, num_buckets, max_distance)(relative_position)


def bias(table, query_length, key_length, bidirectional=True, max_distance=128):
    # only key_length + query_length - 1 differences occur: look each up once
    rel = torch.arange(1 - key_length, query_length, device=table.device)
    values = table.index_select(0, bucket(rel, bidirectional, table.size(0), max_distance))
    q = torch.arange(key_length - query_length, key_length, device=table.device)
    k = torch.arange(key_length, device=table.device)
    at = k - q.unsqueeze(-1) + key_length - 1
    return values.t()[:, at]


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    lq, lk = query.size(2), key.size(2)
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key)
    scores = scores + bias(table, lq, lk, bidirectional, max_distance)
    if not bidirectional:
        seen = torch.ones(lq, lk, device=query.device).tril(lk - lq).bool()
        scores = torch.where(seen, scores, -torch.inf)
    return torch.einsum("bhqk,bhkv->bhqv", scores.softmax(-1), value)
