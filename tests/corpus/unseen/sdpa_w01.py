# attn-kata: sdpa
from __future__ import annotations

import math

import torch
from torch import Tensor


def build_causal_mask(query_length: int, key_length: int, device: torch.device) -> Tensor:
    """True where attention is allowed, aligned to the last position."""
    full = torch.ones(query_length, key_length, dtype=torch.bool, device=device)
    return torch.tril(full, diagonal=key_length - query_length)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    """Scaled dot-product attention.

    Shapes:
        query   (batch, heads, query_length, head_dim)
        key     (batch, heads, key_length, head_dim)
        value   (batch, heads, key_length, value_dim)
        output  (batch, heads, query_length, value_dim)
    """
    assert query.dim() == key.dim() == value.dim() == 4
    assert query.size(-1) == key.size(-1), "query and key must agree in head_dim"
    assert key.size(-2) == value.size(-2), "key and value must agree in length"

    query_length, key_length = query.size(-2), key.size(-2)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))

    allowed: Tensor | None = None
    if causal:
        assert query_length <= key_length
        allowed = build_causal_mask(query_length, key_length, query.device)
    elif mask is not None:
        allowed = mask.to(torch.bool)

    if allowed is not None:
        scores = scores.masked_fill(torch.logical_not(allowed), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value)
