# attn-kata: alibi
from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

SlopeRule = Callable[[int], list[float]]


def power_of_two_slopes(heads: int) -> list[float]:
    start = 2.0 ** (-8.0 / heads)
    return [start ** (i + 1) for i in range(heads)]


def interpolated_slopes(heads: int) -> list[float]:
    """The slopes of the closest power of two, filled up from the next one."""
    closest = 2 ** round(math.log2(heads))
    base = power_of_two_slopes(closest)
    extra = power_of_two_slopes(2 * closest)[0::2]
    return (base + extra)[:heads]


def rule_for(heads: int) -> SlopeRule:
    is_power_of_two = heads & (heads - 1) == 0
    return power_of_two_slopes if is_power_of_two else interpolated_slopes


def slopes(heads: int) -> Tensor:
    return torch.tensor(rule_for(heads)(heads), dtype=torch.float32)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    keys = torch.arange(key_length)
    queries = torch.arange(key_length - query_length, key_length)
    distance = queries[:, None] - keys[None, :]
    out = -slopes(heads).view(-1, 1, 1) * distance
    return out.masked_fill(distance < 0, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    _, heads, query_length, head_dim = query.shape
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_dim)
    scores = scores + bias(heads, query_length, key.size(-2)).to(scores)
    return torch.softmax(scores, dim=-1) @ value
