from __future__ import annotations

import math
import os

import torch
from torch import Tensor

LEAF = int(os.getenv("WINDOW_LEAF", "64"))
assert LEAF >= 1, "WINDOW_LEAF must be positive"


def _leaf(query: Tensor, key: Tensor, value: Tensor, window: int, begin: int, end: int) -> Tensor:
    first = max(0, begin - window + 1)  # oldest key that any query of this leaf sees
    k, v = key[:, :, first:end], value[:, :, first:end]
    i = torch.arange(begin, end, device=query.device).unsqueeze(-1)
    j = torch.arange(first, end, device=query.device)
    scores = query[:, :, begin:end] @ k.transpose(-2, -1) / math.sqrt(query.shape[-1])
    seen = (j <= i) & (j > i - window)
    return torch.where(seen, scores, -math.inf).softmax(dim=-1) @ v


def _span(query: Tensor, key: Tensor, value: Tensor, window: int, begin: int, end: int) -> Tensor:
    if end - begin <= LEAF:
        return _leaf(query, key, value, window, begin, end)
    middle = (begin + end) // 2
    return torch.cat(
        [
            _span(query, key, value, window, begin, middle),
            _span(query, key, value, window, middle, end),
        ],
        dim=2,
    )


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    assert window >= 1, f"window must be 1 or more, not {window}"
    return _span(query, key, value, window, 0, query.shape[2])
