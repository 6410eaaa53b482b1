from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=64)
def _series(n: int) -> list[float]:
    """2^(-8/n), 2^(-16/n), ... for n a power of two; computed once per n."""
    ratio = 2.0 ** (-8.0 / n)
    return [ratio ** (i + 1) for i in range(n)]


def slopes(heads: int) -> Tensor:
    n = 1 << int(math.floor(math.log2(heads)))
    values = _series(n)
    missing = heads - n
    if missing > 0:
        values += _series(2 * n)[::2][:missing]
    return torch.tensor(values, dtype=torch.float32)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    out = torch.zeros(heads, query_length, key_length, dtype=torch.float32)
    first = key_length - query_length
    rows = torch.arange(first, key_length, dtype=torch.float32)
    cols = torch.arange(key_length, dtype=torch.float32)
    dist = rows[:, None] - cols[None, :]
    for h, slope in enumerate(slopes(heads).tolist()):
        out[h] = dist * -slope
        out[h].masked_fill_(dist < 0, -math.inf)
    return out


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    nh, nq, hd = query.shape[1:]
    scores = torch.matmul(query, key.transpose(2, 3)).div(math.sqrt(hd))
    scores = scores + bias(nh, nq, key.size(2)).to(scores)
    return torch.matmul(torch.softmax(scores, dim=3), value)
