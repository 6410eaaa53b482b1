from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad


def _windows(x: Tensor, window: int) -> Tensor:
    """(batch, heads, length, head_dim) -> (batch, heads, length, window, head_dim)"""
    padded = pad(x, (0, 0, window - 1, 0))
    return padded.unfold(2, window, 1).transpose(-1, -2)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    window = min(window, query.size(2))
    keys, values = _windows(key, window), _windows(value, window)
    scores = torch.einsum("bhnd,bhnwd->bhnw", query, keys) * query.size(-1) ** -0.5
    weights = scores.softmax(dim=-1)
    return torch.einsum("bhnw,bhnwd->bhnd", weights, values)
