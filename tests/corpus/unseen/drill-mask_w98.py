from __future__ import annotations

import math

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ticks = lengths.new_ones(lengths.shape[0], max_length).cumsum(dim=1)
    return ticks.lt(lengths[:, None])


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return mask.view(batch, 1, 1, length).expand(batch, heads, length, length)


def causal_mask(length: int) -> Tensor:
    i = torch.arange(length)
    return i[:, None] >= i[None, :]


def combined_mask(mask: Tensor) -> Tensor:
    return torch.logical_and(key_mask(mask), causal_mask(mask.shape[1]).to(mask.device))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    shown = mask.bool()
    return torch.softmax(torch.where(shown, scores, -math.inf), dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    zero = torch.tensor(0.0, dtype=scores.dtype, device=scores.device)
    return torch.where(mask, zero, torch.full_like(zero, -math.inf))
