from __future__ import annotations

import math

import torch
from torch import Tensor


def _geometric(count: int) -> list[float]:
    return [2.0 ** (-8.0 * i / count) for i in range(1, count + 1)]


def slopes(heads: int) -> Tensor:
    lower = 2 ** int(math.log2(heads))
    found = _geometric(lower)
    if lower < heads:
        found += _geometric(2 * lower)[1::2][: heads - lower]
    return torch.tensor(found, dtype=torch.float32)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    at = torch.arange(key_length - query_length, key_length)
    distance = at[:, None] - torch.arange(key_length)[None, :]
    out = -slopes(heads)[:, None, None] * distance
    return out.masked_fill(distance < 0, -math.inf)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    extra = bias(query.shape[1], query.shape[2], key.shape[2])
    scores = scores + extra.to(device=scores.device, dtype=scores.dtype)
    return scores.softmax(dim=-1) @ value
