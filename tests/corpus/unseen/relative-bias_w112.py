from __future__ import annotations

import math

import torch
from torch import Tensor


class RelativePositionBucketizer:
    """Maps signed distances to bucket numbers."""

    def __init__(self, numBuckets: int, maxDistance: int, bidirectional: bool) -> None:
        self._bidirectional = bidirectional
        self._maxDistance = maxDistance
        self._perDirection = numBuckets // 2 if bidirectional else numBuckets
        self._exact = self._perDirection // 2

    @property
    def _scale(self) -> float:
        return (self._perDirection - self._exact) / math.log(self._maxDistance / self._exact)

    def _distance(self, relative: Tensor) -> Tensor:
        if self._bidirectional:
            return relative.abs()
        return relative.neg().clamp(min=0)

    def apply(self, relative: Tensor) -> Tensor:
        distance = self._distance(relative)
        ratio = distance.clamp(min=self._exact).to(torch.float64).div(self._exact)
        wide = ratio.log().mul(self._scale).floor().long().add(self._exact)
        wide = wide.clamp(max=self._perDirection - 1)
        result = torch.where(distance < self._exact, distance, wide)
        if self._bidirectional:
            result = result + relative.gt(0).long() * self._perDirection
        return result


class PositionRangeFactory:
    """Makes the positions of queries and keys."""

    @staticmethod
    def keys(keyLength: int, device: torch.device) -> Tensor:
        return torch.arange(0, keyLength, device=device)

    @staticmethod
    def queries(queryLength: int, keyLength: int, device: torch.device) -> Tensor:
        return torch.arange(0, queryLength, device=device)


class CausalMaskFactory:
    @staticmethod
    def hidden(queryLength: int, keyLength: int, device: torch.device) -> Tensor:
        everything = torch.ones((queryLength, keyLength), dtype=torch.bool, device=device)
        return everything.triu(keyLength - queryLength + 1)


def bucket(
    relative_position: Tensor, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Tensor:
    bucketizer = RelativePositionBucketizer(num_buckets, max_distance, bidirectional)
    return bucketizer.apply(relative_position.long())


def bias(
    table: Tensor, query_length: int, key_length: int, bidirectional: bool = True, max_distance: int = 128
) -> Tensor:
    queries = PositionRangeFactory.queries(query_length, key_length, table.device)
    keys = PositionRangeFactory.keys(key_length, table.device)
    relative = keys.unsqueeze(0) - queries.unsqueeze(1)
    numbers = bucket(relative, bidirectional, table.size(0), max_distance)
    flat = table.index_select(0, numbers.flatten())
    return flat.view(query_length, key_length, -1).permute(2, 0, 1)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    working = torch.float64 if query.dtype == torch.float64 else torch.float32
    queryLength, keyLength = query.size(2), key.size(2)
    positional = bias(table, queryLength, keyLength, bidirectional, max_distance)
    scores = torch.matmul(query.to(working), key.to(working).transpose(-1, -2))
    scores = scores.add(positional.to(working))
    if not bidirectional:
        hidden = CausalMaskFactory.hidden(queryLength, keyLength, query.device)
        scores = scores.masked_fill(hidden, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value.to(working)).to(query.dtype)
