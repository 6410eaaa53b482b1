from __future__ import annotations

import math
import torch
from torch import Tensor


class SlopeTable:
    """Per-head slopes; the non-power-of-two rule follows the original repo."""

    def __init__(self, heads: int):
        self.heads = heads

    @staticmethod
    def geometric(n: int) -> list[float]:
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    def as_list(self) -> list[float]:
        n = self.heads
        if math.log2(n).is_integer():
            return self.geometric(n)
        closest = 2 ** math.floor(math.log2(n))
        extra = self.geometric(2 * closest)[1::2]
        return self.geometric(closest) + extra[: n - closest]

    def tensor(self) -> Tensor:
        return torch.tensor(self.as_list(), dtype=torch.float32)


def slopes(heads: int) -> Tensor:
    return SlopeTable(heads).tensor()


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    offset = key_length - query_length
    i = torch.arange(query_length)[:, None] + offset
    j = torch.arange(key_length)[None, :]
    out = -slopes(heads)[:, None, None] * (i - j).float()[None]
    return out.masked_fill((j > i)[None], -math.inf)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores + bias(query.shape[1], query.shape[2], key.shape[2]).to(scores)
    return scores.softmax(-1) @ value
