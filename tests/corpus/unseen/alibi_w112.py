from __future__ import annotations

import math

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    def power_of_two(n: int) -> list[float]:
        ratio = 2 ** (-8 / n)
        return [ratio ** (i + 1) for i in range(n)]

    closest = 2 ** int(math.log2(heads))
    result = power_of_two(closest)
    if closest < heads:
        result += power_of_two(2 * closest)[0::2][: heads - closest]
    return torch.tensor(result, dtype=torch.float64)


def relative_distance(query_length: int, key_length: int, like: Tensor) -> Tensor:
    positions = torch.arange(key_length, device=like.device).type_as(like)
    return positions[-query_length:].unsqueeze(1) - positions.unsqueeze(0)


def linear_bias(slope: Tensor, distance: Tensor) -> Tensor:
    penalty = slope.view(-1, 1, 1) * distance
    return torch.where(distance < 0, float("-inf"), -penalty)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    slope = slopes(heads)
    return linear_bias(slope, relative_distance(query_length, key_length, slope))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    _, heads, query_length, head_dim = query.size()
    scores = torch.matmul(query, key.transpose(-1, -2)).div(math.sqrt(head_dim))
    distance = relative_distance(query_length, key.size(-2), scores)
    scores = scores + linear_bias(slopes(heads).to(scores), distance)
    return torch.matmul(scores.softmax(dim=-1), value)
