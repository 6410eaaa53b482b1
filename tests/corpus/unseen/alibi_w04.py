# attn-kata: alibi
from __future__ import annotations

import math

import torch
from torch import Tensor

FILL = torch.finfo(torch.float32).min


def _power_of_two_slopes(count: int) -> Tensor:
    """2^(-8 i / count) for i = 1 .. count, shape (count,)."""
    exponents = torch.arange(1, count + 1, dtype=torch.float32) * 8.0 / count
    return torch.pow(2.0, -exponents)


def slopes(heads: int) -> Tensor:
    """Slopes for any positive number of heads."""
    if heads < 1:
        raise ValueError("heads must be at least 1")
    lower = 2 ** math.floor(math.log2(heads))
    base = _power_of_two_slopes(lower)
    missing = heads - lower
    if missing == 0:
        return base
    extra = _power_of_two_slopes(2 * lower)[::2][:missing]
    return torch.cat([base, extra], dim=0)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    """Linear bias, shape (heads, query_length, key_length)."""
    if query_length > key_length:
        raise ValueError("query_length must not exceed key_length")
    key_positions = torch.arange(key_length)
    query_positions = key_positions[-query_length:]
    distance = query_positions.unsqueeze(-1) - key_positions.unsqueeze(0)
    values = -slopes(heads).reshape(-1, 1, 1) * distance.unsqueeze(0)
    return values.masked_fill(distance.unsqueeze(0) < 0, FILL)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Causal attention with linear biases."""
    assert query.dim() == key.dim() == value.dim() == 4
    head_dim = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(head_dim)
    linear = bias(query.size(1), query.size(2), key.size(2)).to(scores.device)
    scores = scores + linear.to(scores.dtype)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value)
