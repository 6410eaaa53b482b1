import math

import torch
from torch import Tensor


def geometric(n: int) -> list[float]:
    """The slopes of n heads, n a power of two."""
    return [2.0 ** (-8.0 * i / n) for i in range(1, n + 1)]


def power_below(n: int) -> int:
    return 1 << (n.bit_length() - 1)


def slopes(heads: int) -> Tensor:
    base = power_below(heads)
    extra = geometric(2 * base)[0::2][: heads - base]
    return torch.tensor(geometric(base) + extra, dtype=torch.float64)


def distance(query_length: int, key_length: int) -> Tensor:
    own = torch.arange(key_length - query_length, key_length)
    return own[:, None] - torch.arange(key_length)[None, :]


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    gap = distance(query_length, key_length)
    penalty = -slopes(heads)[:, None, None] * gap
    return penalty.masked_fill(gap < 0, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    added = bias(query.shape[1], query.shape[2], key.shape[2]).to(scores)
    return (scores + added).softmax(dim=-1) @ value
