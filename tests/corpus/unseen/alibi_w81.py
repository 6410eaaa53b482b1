import math

import torch
from torch import Tensor


def _power_slopes(n: int) -> list[float]:
    start = 2.0 ** (-8.0 / n)
    return [start ** (i + 1) for i in range(n)]


def slopes(heads: int) -> Tensor:
    below = 2 ** (heads.bit_length() - 1)
    picked = _power_slopes(below)
    if below < heads:
        picked += _power_slopes(2 * below)[0::2][: heads - below]
    return torch.tensor(picked, dtype=torch.float64)


def _linear(slope: Tensor, query_pos: Tensor, key_pos: Tensor) -> Tensor:
    distance = query_pos[:, None] - key_pos[None, :]
    out = -slope[:, None, None] * distance
    return out.masked_fill(distance < 0, -math.inf)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    key_pos = torch.arange(key_length, dtype=torch.float64)
    return _linear(slopes(heads), key_pos[key_length - query_length :], key_pos)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    key_pos = torch.arange(key.size(2), device=scores.device, dtype=scores.dtype)
    query_pos = key_pos[key.size(2) - query.size(2) :]
    slope = slopes(query.size(1)).to(scores.device)
    scores = scores + _linear(slope, query_pos, key_pos).to(scores.dtype)
    return scores.softmax(dim=-1) @ value
