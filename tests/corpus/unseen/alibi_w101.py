from __future__ import annotations

import math

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    power = 2 ** math.floor(math.log2(heads))

    def geometric(n: int) -> Tensor:
        return 2.0 ** (-8.0 * torch.arange(1, n + 1) / n)

    if power == heads:
        return geometric(heads)
    return torch.cat([geometric(power), geometric(2 * power)[0::2][: heads - power]])


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    q_pos = torch.arange(key_length - query_length, key_length)[:, None]
    k_pos = torch.arange(key_length)[None, :]
    distance = q_pos - k_pos
    out = -slopes(heads) * distance
    return out.masked_fill(distance < 0, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    _, heads, n_q, d = query.shape
    scores = query @ key.transpose(-2, -1) / math.sqrt(d)
    scores = scores + bias(heads, n_q, key.shape[2]).to(scores)
    return scores.softmax(dim=-1) @ value
