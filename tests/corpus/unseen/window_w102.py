from __future__ import annotations

import math

import torch
from torch import Tensor


def distances(n: int, like: Tensor) -> Tensor:
    place = torch.arange(n, device=like.device, dtype=like.dtype)
    return place[:, None] - place[None, :]


def band(n: int, window: int, like: Tensor) -> Tensor:
    gap = distances(n, like)
    return (gap >= 0) & (gap < window)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    n, d = query.shape[-2:]
    scores = query @ key.transpose(-2, -1) / math.sqrt(d)
    hidden = ~band(n, window, query)
    scores = scores.masked_fill(hidden, float("-inf"))
    return scores.softmax(dim=-1) @ value
