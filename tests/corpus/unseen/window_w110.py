from __future__ import annotations

import math

import torch
from torch import Tensor


def _hidden(length: int, window: int, device: torch.device) -> Tensor | None:
    if window >= length:
        return None
    place = torch.arange(length, device=device)
    age = place.unsqueeze(1) - place.unsqueeze(0)
    return torch.logical_or(age < 0, age >= window)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    scores = torch.einsum("bhid,bhjd->bhij", query, key).div(math.sqrt(head_dim))
    hidden = _hidden(length, window, scores.device)
    if hidden is not None:
        scores = scores.masked_fill(hidden, -math.inf)
    return torch.einsum("bhij,bhjd->bhid", scores.softmax(dim=-1), value)
