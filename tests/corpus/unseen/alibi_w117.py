import math

import torch
from torch import Tensor


def _power_of_two_slopes(n: int) -> list:
    start = 2 ** (-(2 ** -(math.log2(n) - 3)))
    return [start * start**i for i in range(n)]


def slopes(heads: int) -> Tensor:
    if math.log2(heads).is_integer():
        return torch.tensor(_power_of_two_slopes(heads))
    closest = 2 ** math.floor(math.log2(heads))
    extra = _power_of_two_slopes(2 * closest)[1::2][: heads - closest]
    return torch.tensor(_power_of_two_slopes(closest) + extra)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    q_pos = torch.arange(key_length - query_length, key_length).unsqueeze(1)
    k_pos = torch.arange(key_length).unsqueeze(0)
    rel = k_pos - q_pos  # <= 0 for the past
    out = slopes(heads).view(heads, 1, 1) * rel.unsqueeze(0)
    return out.masked_fill(rel > 0, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.size(-1))
    scores = scores.float() if scores.dtype != torch.float64 else scores
    scores = scores + bias(query.size(1), query.size(2), key.size(2)).to(scores)
    return scores.softmax(dim=-1).to(value.dtype) @ value
