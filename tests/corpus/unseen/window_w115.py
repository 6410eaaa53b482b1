from math import sqrt

import torch
from torch import Tensor


def _attend_one(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """q (B, H, 1, D), k and v (B, H, n, D)"""
    a = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) / sqrt(q.shape[-1]), dim=-1)
    return torch.matmul(a, v)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    outputs = []
    for i, q in enumerate(query.split(1, dim=2)):
        seen = slice(i + 1 - window, i + 1)
        outputs.append(_attend_one(q, key[:, :, seen], value[:, :, seen]))
    return torch.cat(outputs, dim=2)
