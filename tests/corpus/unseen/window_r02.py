# attn-kata: window
from __future__ import annotations

import math

import torch
from torch import Tensor


def sliding_window_mask(length: int, window: int, *, device: torch.device) -> Tensor:
    """True where query i (row) sees key j (column): i - window < j <= i."""
    position = torch.arange(length, device=device)
    age = position.unsqueeze(1) - position.unsqueeze(0)          # how far back the key lies
    return torch.logical_and(age >= 0, age < window)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Sliding-window causal attention.

    Shapes:
        query, key, value, output: (batch, heads, length, head_dim)
    """
    if window < 1:
        raise ValueError(f"window must be at least 1, got {window}")
    if not (query.dim() == key.dim() == value.dim() == 4):
        raise ValueError("query, key and value must be 4-dimensional")

    length, head_dim = query.size(-2), query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1))          # (batch, heads, length, length)
    scores = scores / math.sqrt(head_dim)
    visible = sliding_window_mask(length, window, device=query.device)
    scores = scores.masked_fill(torch.logical_not(visible), float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value)
