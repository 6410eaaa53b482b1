import math

import torch
from torch import Tensor


class RelativePositionBuckets:
    def __init__(self, num_buckets: int, max_distance: int, bidirectional: bool) -> None:
        self.bidirectional = bidirectional
        self.per_direction = num_buckets // 2 if bidirectional else num_buckets
        self.max_exact = self.per_direction // 2
        self.max_distance = max_distance

    def far(self, distance: Tensor) -> Tensor:
        x = distance.clamp_min(self.max_exact).to(torch.float64) / self.max_exact
        steps = self.per_direction - self.max_exact
        share = torch.log(x) / math.log(self.max_distance)
        return self.max_exact + (share * steps).long()

    def __call__(self, rel: Tensor) -> Tensor:
        if self.bidirectional:
            distance, shift = rel.abs(), (rel > 0) * self.per_direction
        else:
            distance, shift = (-rel).clamp_min(0), 0
        near = distance < self.max_exact
        far = self.far(distance).clamp_max(self.per_direction - 1)
        return torch.where(near, distance, far) + shift


def bucket(relative_position: Tensor, bidirectional=True, num_buckets=32, max_distance=128) -> Tensor:
    return RelativePositionBuckets(num_buckets, max_distance, bidirectional)(relative_position)


def bias(table: Tensor, query_length: int, key_length: int, bidirectional=True, max_distance=128) -> Tensor:
    keys = torch.arange(key_length, device=table.device)
    queries = torch.arange(query_length, device=table.device).add(key_length - query_length)
    where = bucket(keys[None] - queries[:, None], bidirectional, len(table), max_distance)
    return table[where].movedim(-1, 0)


def attention(query, key, value, table, bidirectional=True, max_distance=128):
    extra = bias(table, query.shape[2], key.shape[2], bidirectional, max_distance)
    if not bidirectional:
        hidden = torch.ones_like(extra[0], dtype=torch.bool).triu(key.shape[2] - query.shape[2] + 1)
        extra = extra.masked_fill(hidden, -math.inf)
    return torch.softmax(query @ key.mT + extra, -1) @ value
