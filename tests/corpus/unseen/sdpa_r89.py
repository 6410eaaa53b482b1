from __future__ import annotations

import math

import torch
from torch import Tensor


def _allowed(mask: Tensor | None, causal: bool, n: int, m: int, device: torch.device) -> Tensor | None:
    """Everything that restricts, as one bool mask; None where nothing does."""
    parts = []
    if mask is not None:
        parts.append(mask.to(device) != 0)
    if causal:
        parts.append(torch.ones(n, m, dtype=torch.bool, device=device).tril(m - n))
    match parts:
        case []:
            return None
        case [one]:
            return one
        case [one, other]:
            return one & other


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    dtype = query.dtype
    query, key, value = (t.to(torch.promote_types(dtype, torch.float32)) for t in (query, key, value))
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key).div(math.sqrt(query.size(-1)))
    allowed = _allowed(mask, causal, *scores.shape[-2:], scores.device)
    if allowed is not None:
        scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    return torch.einsum("bhqk,bhkv->bhqv", scores.softmax(dim=-1), value).to(dtype)
