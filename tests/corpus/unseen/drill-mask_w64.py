from __future__ import annotations

import torch
from torch import Tensor

BOOL = torch.bool


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    grid = torch.zeros(lengths.shape[0], max_length, dtype=BOOL, device=lengths.device)
    for row, n in zip(grid, lengths):
        row[:n] = True
    return grid


def key_mask(mask: Tensor) -> Tensor:
    return mask.unflatten(1, (1, 1, -1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    b, l = mask.shape
    return key_mask(mask).expand(b, heads, l, l)


def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=BOOL).tril(diagonal=0)


def combined_mask(mask: Tensor) -> Tensor:
    l = mask.shape[-1]
    tri = torch.ones(l, l, dtype=BOOL, device=mask.device).tril()
    return key_mask(mask).logical_and(tri)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    visible = mask.ne(0)
    return scores.masked_fill(visible.logical_not(), -torch.inf).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    bias = torch.where(mask, 0.0, -torch.inf)
    return bias.to(scores.device)
