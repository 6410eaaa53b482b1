from __future__ import annotations

import torch
from torch import Tensor


def causal_mask(query: Tensor, key: Tensor) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    rows = torch.arange(n, device=query.device) + (m - n)
    return rows[:, None] >= torch.arange(m, device=query.device)


def hide(scores: Tensor, mask: Tensor | None) -> Tensor:
    if mask is None:
        return scores
    return torch.where(mask != 0, scores, torch.finfo(scores.dtype).min)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    if causal:
        mask = causal_mask(query, key)
    scores = query @ key.mT * query.shape[-1] ** -0.5
    weights = torch.softmax(hide(scores, mask), dim=-1)
    return weights @ value
