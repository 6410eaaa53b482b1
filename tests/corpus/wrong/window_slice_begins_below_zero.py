# wrong: window window-start-negative line 19
from __future__ import annotations

import math

import torch
from torch import Tensor


def _attend_one(q: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    # q (batch, heads, head_dim), keys and values (batch, heads, seen, head_dim)
    scores = torch.einsum("bhd,bhsd->bhs", q, keys) / math.sqrt(q.shape[-1])
    return torch.einsum("bhs,bhsd->bhd", torch.softmax(scores, dim=-1), values)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    rows = []
    for i in range(query.shape[2]):
        recent = slice(i + 1 - window, i + 1)
        rows.append(_attend_one(query[:, :, i], key[:, :, recent], value[:, :, recent]))
    return torch.stack(rows, dim=2)
