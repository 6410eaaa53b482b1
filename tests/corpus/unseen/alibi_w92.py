from __future__ import annotations

import math
from typing import Iterator

import torch
from torch import Tensor


def _geometric(n: int) -> Iterator[float]:
    ratio = 2.0 ** (-8.0 / n)
    current = ratio
    for _ in range(n):
        yield current
        current *= ratio


def slopes(heads: int) -> Tensor:
    base = 1 << (heads.bit_length() - 1)
    table = list(_geometric(base))
    missing = heads - base
    if missing:
        table.extend(list(_geometric(2 * base))[1::2][:missing])
    return torch.tensor(table, dtype=torch.float64)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    key_at = torch.arange(key_length)
    query_at = torch.arange(key_length - query_length, key_length)
    distance = query_at.unsqueeze(1) - key_at.unsqueeze(0)
    linear = slopes(heads).view(-1, 1, 1) * distance.double().neg()
    return linear.masked_fill(distance < 0, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    logits = torch.einsum("bhid,bhjd->bhij", query, key) / math.sqrt(query.shape[-1])
    extra = bias(query.shape[1], query.shape[2], key.shape[2]).to(logits)
    return torch.einsum("bhij,bhjv->bhiv", (logits + extra).softmax(-1), value)
