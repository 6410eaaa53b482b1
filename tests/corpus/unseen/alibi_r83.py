"""BLOOM's trick: inside a causal row, -slope * (i - j) and slope * j differ by a constant of the row only."""
from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=None)
def _exponents(heads: int) -> tuple[float, ...]:
    power = 1 << (heads.bit_length() - 1)               # largest power of two, not above heads
    firsts = [8 * i / power for i in range(1, power + 1)]
    rest = [8 * i / (2 * power) for i in range(1, 2 * power + 1, 2)]
    return tuple(firsts + rest[: heads - power])


def slopes(heads: int) -> Tensor:
    return torch.exp2(-torch.tensor(_exponents(heads), dtype=torch.float32))


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    distance = torch.arange(query_length)[:, None] + (key_length - query_length) - torch.arange(key_length)[None, :]
    lowered = torch.einsum("h,qk->hqk", slopes(heads), -distance.clamp(min=0).float())
    return lowered.masked_fill(distance < 0, -torch.inf)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    heads, queries, keys = query.size(1), query.size(2), key.size(2)
    dtype = torch.float64 if query.dtype == torch.float64 else torch.float32
    per_key = torch.arange(keys, device=query.device, dtype=dtype) - (keys - 1)
    shift = slopes(heads).to(query.device, dtype)[:, None] * per_key             # heads, keys
    scores = (query.to(dtype) / query.size(-1) ** 0.5) @ key.to(dtype).mT + shift[:, None, :]
    unseen = torch.ones(queries, keys, dtype=torch.bool, device=query.device).triu(keys - queries + 1)
    weights = scores.masked_fill(unseen, -torch.inf).softmax(dim=-1)
    return (weights @ value.to(dtype)).to(value.dtype)
