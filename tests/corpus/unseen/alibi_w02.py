# attn-kata: alibi
from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=None)
def _slope_table(heads: int) -> tuple[float, ...]:
    def powers(n: int) -> list[float]:
        base = 2.0 ** (-8.0 / n)
        return [base ** (i + 1) for i in range(n)]

    n = 2 ** round(math.log2(heads))
    table = powers(n)
    if n < heads:
        table += powers(2 * n)[::2]
    return tuple(table[:heads])


def slopes(heads: int) -> Tensor:
    return torch.tensor(_slope_table(heads), dtype=torch.float32)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    rows = torch.arange(query_length, dtype=torch.float32) + (key_length - query_length)
    cols = torch.arange(key_length, dtype=torch.float32)
    gap = rows.unsqueeze(1) - cols
    out = gap.neg() * slopes(heads).view(-1, 1, 1)
    return out.masked_fill_(gap < 0, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = (query @ key.mT) * query.size(-1) ** -0.5
    scores = scores + bias(query.size(1), query.size(2), key.size(2)).to(scores)
    return scores.softmax(dim=-1) @ value
