# attn-kata: alibi
from __future__ import annotations

import math

import torch
from torch import Tensor


def _geometric(n: int) -> Tensor:
    return torch.exp2(-8.0 / n * torch.arange(1, n + 1, dtype=torch.float64))


def slopes(heads: int) -> Tensor:
    lower = 1 << (heads.bit_length() - 1)
    first = _geometric(lower)
    rest = _geometric(2 * lower)[0::2][: heads - lower]
    return torch.cat([first, rest]).to(torch.float32)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    k = torch.arange(key_length, dtype=torch.float32)
    q = k[key_length - query_length:]
    distance = q[:, None] - k[None, :]
    penalty = torch.einsum("h,qk->hqk", -slopes(heads), distance)
    return torch.where(distance >= 0, penalty, torch.full_like(penalty, -math.inf))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    heads, m, d = query.shape[1:]
    logits = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(d)
    logits = logits + bias(heads, m, key.shape[2]).to(logits)
    return torch.einsum("bhqk,bhkv->bhqv", torch.softmax(logits, dim=-1), value)
