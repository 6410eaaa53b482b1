from __future__ import annotations

import math

import torch
from torch import Tensor

QUERIES_AT_ONCE = 16


def _rows(mask: Tensor | None, start: int, stop: int) -> Tensor | None:
    """The mask's rows for these queries; an axis of size 1 serves all."""
    if mask is None or mask.size(-2) == 1:
        return mask
    return mask[..., start:stop, :]


def _attend(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, last_seen: Tensor | None
) -> Tensor:
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    if last_seen is not None:
        keys = torch.arange(key.size(-2), device=key.device)
        scores = scores.masked_fill(keys > last_seen.unsqueeze(-1), float("-inf"))
    return torch.matmul(torch.softmax(scores, dim=-1), value)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    query_length, key_length = query.size(-2), key.size(-2)
    outputs = []
    for start in range(0, query_length, QUERIES_AT_ONCE):
        part = query[:, :, start : start + QUERIES_AT_ONCE]
        last_seen = None
        if causal:
            last_seen = torch.arange(part.size(-2), device=query.device)
            last_seen = last_seen + (key_length - query_length)
        rows = _rows(mask, start, start + part.size(-2))
        outputs.append(_attend(part, key, value, rows, last_seen))
    return torch.cat(outputs, dim=-2)
