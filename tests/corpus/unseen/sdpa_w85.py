from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=32)
def _causal(rows: int, columns: int, device: torch.device) -> Tensor:
    ones = torch.ones(rows, columns, dtype=torch.bool, device=device)
    return ones.tril(columns - rows)


def _visible(rows: int, columns: int, device, mask: Tensor | None, causal: bool) -> Tensor | None:
    if not causal:
        return None if mask is None else mask.bool()
    seen = _causal(rows, columns, device)
    if mask is None:
        return seen
    if mask.dim() == 2:
        return seen.logical_and_(mask.bool())
    return seen & mask.bool()


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    scores = query @ key.mT * query.shape[-1] ** -0.5
    seen = _visible(query.shape[-2], key.shape[-2], query.device, mask, causal)
    if seen is not None:
        scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1) @ value
