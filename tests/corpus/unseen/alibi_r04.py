from __future__ import annotations

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    base = 1
    while base * 2 <= heads:
        base *= 2
    main = torch.arange(1, base + 1, dtype=torch.float32) * (-8 / base)
    # every other exponent of the next power of two: 1, 3, 5, …
    rest = (2 * torch.arange(heads - base, dtype=torch.float32) + 1) * (-4 / base)
    return torch.exp2(torch.cat([main, rest]))


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    shift = key_length - query_length
    q = torch.arange(shift, key_length).reshape(1, -1, 1)
    k = torch.arange(key_length).reshape(1, 1, -1)
    linear = -slopes(heads).reshape(-1, 1, 1) * (q - k)
    return torch.where(k <= q, linear, torch.tensor(float("-inf")))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    logits = query.to(wide) @ key.to(wide).mT
    logits = logits * query.shape[-1] ** -0.5
    logits = logits + bias(query.shape[1], query.shape[2], key.shape[2]).to(logits)
    weights = torch.softmax(logits, dim=-1)
    return (weights @ value.to(wide)).to(query.dtype)
