from __future__ import annotations

import torch
from torch import Tensor


def build_window_mask(length: int, window: int, device: torch.device) -> Tensor | None:
    """True where a score is hidden."""
    if window >= length:
        return None
    ones = torch.ones(length, length, dtype=torch.bool, device=device)
    visible = ones.tril() & ones.triu(1 - window)
    return visible.logical_not()


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    scores = torch.matmul(query, key.transpose(-2, -1)) * head_dim**-0.5
    hidden = build_window_mask(length, window, query.device)
    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value)
