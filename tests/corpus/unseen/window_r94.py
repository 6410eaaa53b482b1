from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def _newest(t: Tensor, w: int) -> Tensor:
    """(batch, heads, length, dim) -> (batch, heads, length, dim, w): the w newest rows at each place."""
    return F.pad(t, (0, 0, w - 1, 0)).unfold(2, w, 1)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    batch, heads, length, head_dim = query.shape
    w = min(window, length)

    scores = (query.unsqueeze(-1) * _newest(key, w)).sum(dim=-2) / math.sqrt(head_dim)
    # column c of row i is position i - (w - 1) + c; those before the start are padding
    column = torch.arange(w, device=query.device)
    row = torch.arange(length, device=query.device).unsqueeze(-1)
    scores = scores.masked_fill(row + column < w - 1, float("-inf"))

    weights = torch.softmax(scores, dim=-1)
    return (weights.unsqueeze(-2) * _newest(value, w)).sum(dim=-1)
