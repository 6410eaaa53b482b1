from __future__ import annotations

from functools import lru_cache
from math import log2, sqrt

import torch
from torch import Tensor


@lru_cache(maxsize=None)
def _slope_tuple(n: int) -> tuple[float, ...]:
    if log2(n).is_integer():
        start = 2.0 ** (-(2.0 ** -(log2(n) - 3)))
        return tuple(start * start**i for i in range(n))
    nearest = 1 << (n.bit_length() - 1)
    return _slope_tuple(nearest) + _slope_tuple(2 * nearest)[::2][: n - nearest]


def slopes(heads: int) -> Tensor:
    return torch.tensor(_slope_tuple(heads), dtype=torch.float64)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    # toeplitz: one strip of key_length + query_length - 1 numbers per head, read with strides
    strip = torch.arange(1 - key_length, query_length, dtype=torch.float64)
    strip = torch.where(strip > 0, float("-inf"), strip)
    rows = strip.unfold(0, key_length, 1).flip(0)
    return torch.einsum("h,qk->hqk", slopes(heads), rows)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    _, H, Lq, D = query.shape
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key).div(sqrt(D))
    logits = logits + bias(H, Lq, key.size(2)).to(logits)
    z = logits.logsumexp(dim=-1, keepdim=True)
    return torch.einsum("bhqk,bhkv->bhqv", (logits - z).exp(), value)
