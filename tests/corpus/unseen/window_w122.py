from __future__ import annotations

import math

import torch
from torch import Tensor


def banded(length: int, window: int, device: torch.device) -> Tensor | None:
    """Places that no query may look at, or None where there are none."""
    if window >= length:
        return None
    i = torch.arange(length, device=device)
    gap = i[:, None] - i[None, :]
    return (gap < 0) | (gap >= window)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if (blocked := banded(query.size(-2), window, query.device)) is not None:
        scores = scores.masked_fill(blocked, float("-inf"))
    return scores.softmax(dim=-1) @ value
