from __future__ import annotations

import math

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    n = 1 << (heads.bit_length() - 1)
    whole = torch.exp2(torch.arange(1, n + 1, dtype=torch.float64) * (-8.0 / n))
    finer = torch.exp2(torch.arange(1, 2 * n + 1, 2, dtype=torch.float64) * (-4.0 / n))
    return torch.cat([whole, finer[: heads - n]])


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    dist = torch.arange(key_length - query_length, key_length).unsqueeze(1) - torch.arange(key_length)
    return (-slopes(heads).view(-1, 1, 1) * dist).masked_fill(dist < 0, -math.inf)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    b, h, n, d = query.shape
    m = key.size(-2)
    pos = bias(h, n, m).to(query).expand(b, -1, -1, -1).reshape(b * h, n, m)
    # bias and product in a single gemm
    scores = torch.baddbmm(pos, query.flatten(0, 1), key.flatten(0, 1).mT) * d**-0.5
    return torch.bmm(scores.softmax(-1), value.flatten(0, 1)).unflatten(0, (b, h))
