from __future__ import annotations
import math
import torch
from torch import Tensor


def _pow2(n: int) -> list[float]:
    start = 2.0 ** (-8.0 / n)
    return [start ** i for i in range(1, n + 1)]


def slopes(heads: int) -> Tensor:
    if heads & (heads - 1) == 0:
        return torch.tensor(_pow2(heads))
    lower = 1 << (heads.bit_length() - 1)
    extra = _pow2(2 * lower)[1::2]
    return torch.tensor(_pow2(lower) + extra[: heads - lower])


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    kpos = torch.arange(key_length)
    qpos = torch.arange(key_length - query_length, key_length)
    rel = qpos[:, None] - kpos[None, :]
    out = -slopes(heads)[:, None, None] * rel
    return out.masked_fill(rel < 0, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    s = query @ key.mT / math.sqrt(query.size(-1))
    b = bias(query.size(1), query.size(2), key.size(2))
    return (s + b.to(s)).softmax(-1) @ value
