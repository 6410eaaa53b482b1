# wrong: drill-mask mask-fill-small line 7
from __future__ import annotations

import torch
from torch import Tensor

HIDDEN = -20.0  # e^-20 is as good as nothing, and half precision can hold it


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ticks = torch.ones(len(lengths), max_length, dtype=torch.long, device=lengths.device).cumsum(1)
    return ticks <= lengths.reshape(-1, 1)


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return key_mask(mask).expand(-1, heads, mask.shape[-1], -1)


def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.full((length, length), True))


def combined_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None] & causal_mask(mask.shape[-1]).to(mask.device)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask.logical_not(), HIDDEN).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    base = torch.full_like(mask, float("-inf"), dtype=scores.dtype)
    return base.masked_fill(mask, 0.0)
