from __future__ import annotations

import math

import torch
from torch import Tensor


def _causal(query_length: int, key_length: int, device) -> Tensor:
    rows = torch.arange(query_length, device=device)[:, None] + key_length - query_length
    return torch.arange(key_length, device=device)[None, :] <= rows


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.size(-1))
    allowed = None
    if mask is not None:
        allowed = mask != 0
    elif causal:
        allowed = _causal(query.size(2), key.size(2), scores.device)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, float("-inf"))
    return torch.einsum("bhqk,bhkv->bhqv", scores.softmax(-1), value)
