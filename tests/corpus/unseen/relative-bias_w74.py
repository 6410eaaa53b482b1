"""Bucketed relative bias. All in one class, functions at the end delegate to it."""
from __future__ import annotations

import torch
from torch import Tensor


class Bucketizer:
    def __init__(self, bidirectional: bool, num_buckets: int, max_distance: int) -> None:
        self.bidirectional = bidirectional
        self.num_buckets = num_buckets
        self.per_direction = num_buckets // 2 if bidirectional else num_buckets
        self.max_exact = num_buckets // 2
        self.max_distance = max_distance

    def log_part(self, distance: Tensor) -> Tensor:
        steps = self.per_direction - self.max_exact
        base = torch.tensor(self.max_distance / self.max_exact, dtype=torch.float64)
        far = torch.log(distance.double() / self.max_exact) / base.log()
        index = self.max_exact + (far * steps).nan_to_num(neginf=0.0).trunc().long()
        return index.clamp(max=self.per_direction - 1)

    def __call__(self, offset: Tensor) -> Tensor:
        if self.bidirectional:
            distance = offset.abs()
            half = (offset > 0).to(torch.int64) * self.per_direction
        else:
            distance = offset.neg().clamp(min=0)
            half = torch.zeros_like(offset)
        near = distance < self.max_exact
        return half + torch.where(near, distance, self.log_part(distance))


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    return Bucketizer(bidirectional, num_buckets, max_distance)(relative_position)


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    k = torch.arange(key_length, device=table.device)
    q = torch.arange(query_length, device=table.device) + (key_length - query_length)
    which = bucket(k[None, :] - q[:, None], bidirectional, len(table), max_distance)
    return table[which].movedim(-1, 0)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    q_len, k_len = query.size(2), key.size(2)
    logits = query @ key.transpose(-1, -2) + bias(table, q_len, k_len, bidirectional, max_distance)
    if not bidirectional:
        mask = torch.full((q_len, k_len), float("-inf"), dtype=logits.dtype, device=logits.device)
        logits = logits + mask.triu(k_len - q_len + 1)
    return logits.softmax(-1) @ value
