from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import List

import torch
from torch import Tensor


class SlopeProvider(ABC):
    """Contract for everything that can supply one slope per attention head."""

    @abstractmethod
    def get_slopes(self, head_count: int) -> List[float]:
        ...


class PowerOfTwoSlopeProvider(SlopeProvider):
    def get_slopes(self, head_count: int) -> List[float]:
        return [math.pow(2.0, -8.0 * (index + 1) / head_count) for index in range(head_count)]


class GeneralSlopeProvider(SlopeProvider):
    def __init__(self, delegate: SlopeProvider) -> None:
        self._delegate = delegate

    def get_slopes(self, head_count: int) -> List[float]:
        is_power_of_two = head_count & (head_count - 1) == 0
        if is_power_of_two:
            return self._delegate.get_slopes(head_count)
        lower = 1 << (head_count.bit_length() - 1)
        result = list(self._delegate.get_slopes(lower))
        candidates = self._delegate.get_slopes(lower << 1)
        result.extend(candidates[1::2][: head_count - lower])
        return result


class BiasBuilder:
    def __init__(self, slope_provider: SlopeProvider) -> None:
        self._slope_provider = slope_provider

    def build(self, head_count: int, query_length: int, key_length: int) -> Tensor:
        first_query_position = key_length - query_length
        query_positions = torch.arange(first_query_position, key_length).reshape(-1, 1)
        key_positions = torch.arange(key_length).reshape(1, -1)
        distances = query_positions - key_positions
        slope_tensor = torch.tensor(self._slope_provider.get_slopes(head_count), dtype=torch.float64)
        penalties = torch.mul(slope_tensor.reshape(-1, 1, 1), distances).neg()
        return penalties.masked_fill(torch.lt(distances, 0), -math.inf)


_SLOPE_PROVIDER: SlopeProvider = GeneralSlopeProvider(PowerOfTwoSlopeProvider())
_BIAS_BUILDER: BiasBuilder = BiasBuilder(_SLOPE_PROVIDER)


def slopes(heads: int) -> Tensor:
    return torch.tensor(_SLOPE_PROVIDER.get_slopes(heads), dtype=torch.float64)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    return _BIAS_BUILDER.build(heads, query_length, key_length)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    compute_type = torch.float64 if query.dtype == torch.float64 else torch.float32
    head_dim = query.size(3)
    scores = torch.matmul(query.to(compute_type), key.to(compute_type).transpose(2, 3))
    scores = torch.div(scores, math.sqrt(head_dim))
    penalties = bias(query.size(1), query.size(2), key.size(2)).to(scores.device, scores.dtype)
    weights = torch.softmax(torch.add(scores, penalties), dim=3)
    return torch.matmul(weights, value.to(compute_type)).to(query.dtype)
