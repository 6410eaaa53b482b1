from __future__ import annotations

import math

import torch


def geometric(n: int) -> list[float]:
    return [2 ** (-8 * i / n) for i in range(1, n + 1)]


def slopes(heads: int) -> torch.Tensor:
    power = 2 ** math.floor(math.log2(heads))
    values = geometric(power)
    if power < heads:
        values += geometric(2 * power)[::2][: heads - power]
    return torch.tensor(sorted(values, reverse=True))


def bias(heads: int, query_length: int, key_length: int) -> torch.Tensor:
    q = torch.arange(key_length - query_length, key_length)
    k = torch.arange(key_length)
    distance = q[:, None] - k[None, :]
    penalty = -slopes(heads)[:, None, None] * distance[None].float()
    return torch.where(distance[None] < 0, float("-inf"), penalty)


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    up = torch.promote_types(query.dtype, torch.float32)
    scores = (query.to(up) @ key.to(up).transpose(-1, -2)) / math.sqrt(query.shape[-1])
    scores = scores + bias(query.shape[1], query.shape[2], key.shape[2]).to(scores)
    return (torch.softmax(scores, dim=-1) @ value.to(up)).to(value.dtype)
