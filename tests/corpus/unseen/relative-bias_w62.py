from __future__ import annotations

import math

import torch
from torch import Tensor, einsum


class Buckets:
    """T5's numbering as an object: Buckets(...)(k - q)"""

    def __init__(self, bidirectional: bool, num_buckets: int, max_distance: int) -> None:
        self.both = bidirectional
        self.n = num_buckets // 2 if bidirectional else num_buckets
        self.m = self.n // 2
        self.slope = (self.n - self.m) / math.log(max_distance / self.m)

    def far(self, d: Tensor) -> Tensor:
        # clamped first, so that there is no logarithm of 0
        grown = torch.log(d.clamp(min=self.m).double() / self.m) * self.slope
        return (self.m + grown.long()).clamp(max=self.n - 1)

    def __call__(self, offset: Tensor) -> Tensor:
        if not self.both:
            d = (-offset).clamp(min=0)
            return torch.where(d < self.m, d, self.far(d))
        d = offset.abs()
        return torch.where(d < self.m, d, self.far(d)) + self.n * (offset > 0)


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    return Buckets(bidirectional, num_buckets, max_distance)(relative_position)


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    i = torch.arange(query_length, device=table.device)
    j = torch.arange(key_length, device=table.device)
    numbers = bucket(j[None, :] - i[:, None], bidirectional, len(table), max_distance)
    return table[numbers].movedim(-1, 0)


def attention(
    query: Tensor, key: Tensor, value: Tensor, table: Tensor, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    sim = einsum("bhid,bhjd->bhij", query, key) + bias(table, n, m, bidirectional, max_distance)
    if not bidirectional:
        causal_mask = torch.ones((n, m), dtype=torch.bool, device=sim.device).triu(m - n + 1)
        sim = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max)
    return einsum("bhij,bhjd->bhid", sim.softmax(dim=-1), value)
