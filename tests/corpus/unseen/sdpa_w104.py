from __future__ import annotations

import math

import torch
from torch import Tensor


def _visible(query: Tensor, key: Tensor) -> Tensor:
    n, m = query.size(-2), key.size(-2)
    at = torch.arange(n, device=query.device).unsqueeze(1) + (m - n)
    return torch.arange(m, device=query.device) <= at


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    scores = torch.matmul(query, key.mT) / math.sqrt(value.size(-1))
    lowest = torch.finfo(scores.dtype).min
    if causal:
        scores = torch.where(_visible(query, key), scores, lowest)
    if mask is not None:
        scores = torch.where(mask != 0, scores, lowest)
    return torch.matmul(torch.softmax(scores, dim=-1), value)
