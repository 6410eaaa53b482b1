# attn-kata: alibi
from __future__ import annotations

import math

import torch
from torch import Tensor


def _get_slopes(n: int) -> list[float]:
    def get_slopes_power_of_2(n: int) -> list[float]:
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        ratio = start
        return [start * ratio ** i for i in range(n)]

    if math.log2(n).is_integer():
        return get_slopes_power_of_2(n)
    closest_power_of_2 = 2 ** math.floor(math.log2(n))
    extra = _get_slopes(2 * closest_power_of_2)[0::2]
    return get_slopes_power_of_2(closest_power_of_2) + extra[: n - closest_power_of_2]


def slopes(heads: int) -> Tensor:
    return torch.tensor(_get_slopes(heads), dtype=torch.float32)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    offset = key_length - query_length
    query_pos = torch.arange(query_length).unsqueeze(1) + offset
    key_pos = torch.arange(key_length).unsqueeze(0)
    alibi = slopes(heads).view(heads, 1, 1) * (key_pos - query_pos)
    future = torch.triu(torch.ones(query_length, key_length, dtype=torch.bool), diagonal=offset + 1)
    return alibi.masked_fill(future, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.size(-1))
    alibi = bias(query.size(1), query.size(2), key.size(2))
    scores = scores + alibi.to(device=scores.device, dtype=scores.dtype)
    return torch.matmul(torch.softmax(scores, dim=-1), value)
