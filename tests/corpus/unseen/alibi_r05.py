from __future__ import annotations

import math

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    def geometric(n: int) -> list[float]:
        return [2.0 ** (-8.0 * (i + 1) / n) for i in range(n)]

    p = 2 ** math.floor(math.log2(heads))
    values = geometric(p)
    if p < heads:
        values += geometric(2 * p)[0::2][: heads - p]
    return torch.tensor(values, dtype=torch.float64)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    q_pos = torch.arange(query_length) + (key_length - query_length)
    distance = q_pos[:, None] - torch.arange(key_length)[None, :]
    out = -slopes(heads)[:, None, None] * distance.clamp(min=0)
    return out.masked_fill(distance < 0, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    work = query.dtype if query.dtype == torch.float64 else torch.float32
    s = query.to(work) @ key.to(work).transpose(-1, -2) / math.sqrt(query.shape[-1])
    s = s + bias(query.shape[1], query.shape[2], key.shape[2]).to(device=s.device, dtype=work)
    return (torch.softmax(s, -1) @ value.to(work)).to(query.dtype)
