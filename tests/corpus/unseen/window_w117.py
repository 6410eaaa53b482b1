from __future__ import annotations

import math

import torch
from torch import Tensor


def attend_one(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """一个 query 对一段 key：query (batch, heads, head_dim)"""
    scores = torch.einsum("bhd,bhkd->bhk", query, keys) / math.sqrt(query.size(-1))
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("bhk,bhkd->bhd", weights, values)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    outputs = []
    for i in range(query.size(2)):
        # 自己也算一个：i - window + 1 … i
        span = slice(i - window + 1, i + 1)
        outputs.append(attend_one(query[:, :, i], key[:, :, span], value[:, :, span]))
    return torch.stack(outputs, dim=2)
