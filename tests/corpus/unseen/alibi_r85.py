from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=None)
def _geometric(n: int) -> tuple[float, ...]:
    return tuple(2.0 ** (-8.0 * (i + 1) / n) for i in range(n))


def slopes(heads: int) -> Tensor:
    base = 2 ** int(math.floor(math.log2(heads)))
    values = _geometric(base)
    if base != heads:
        values = values + _geometric(2 * base)[::2][: heads - base]
    return torch.tensor(values, dtype=torch.float64)


def _build(m: Tensor, query_length: int, key_length: int) -> Tensor:
    ticks = torch.arange(key_length, device=m.device)
    here = ticks[key_length - query_length :, None]
    gap = here - ticks
    penalty = -m.view(-1, 1, 1) * gap.clamp(min=0)
    return torch.where(gap < 0, torch.full_like(penalty, -math.inf), penalty)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    return _build(slopes(heads), query_length, key_length)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    b, h, t, d = query.shape
    s = key.shape[2]
    m = slopes(h).to(query.device)
    add = _build(m, t, s).to(query.dtype)
    scores = torch.einsum("bhtd,bhsd->bhts", query, key) * d ** -0.5 + add
    return torch.einsum("bhts,bhsv->bhtv", torch.softmax(scores, dim=-1), value)
