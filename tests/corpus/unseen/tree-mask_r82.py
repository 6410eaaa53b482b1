from __future__ import annotations

import math

import torch
from torch import Tensor


def _line(token: int, back: list[int]):
    """The token, and its ancestors from the nearest on."""
    yield token
    parent = token - back[token]
    if parent >= 0:
        yield from _line(parent, back)


def tree_mask(back: Tensor) -> Tensor:
    steps = back.tolist()
    mask = torch.zeros(len(steps), len(steps), dtype=torch.bool, device=back.device)
    for token in range(len(steps)):
        for ancestor in _line(token, steps):
            mask[token, ancestor] = True
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted, total = query.shape[2], key.shape[2]
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.shape[-1])
    hidden = torch.zeros(drafted, total, dtype=torch.bool, device=scores.device)
    hidden[:, total - drafted :] = tree_mask(back).logical_not()
    weights = torch.softmax(scores.masked_fill(hidden, torch.finfo(scores.dtype).min), dim=-1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, value)
