from __future__ import annotations

import math

import torch
from torch import Tensor


def _scale(t: Tensor) -> float:
    return 1.0 / math.sqrt(t.size(-1))


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    scores = torch.matmul(query, key.transpose(-2, -1)) * _scale(value)
    q_len, k_len = scores.shape[-2:]
    if causal:
        allowed = torch.ones(q_len, k_len, dtype=torch.bool, device=query.device).tril(k_len - q_len)
        scores = scores.masked_fill(~allowed, -math.inf)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -math.inf)
    return torch.matmul(torch.softmax(scores, dim=-1), value)
