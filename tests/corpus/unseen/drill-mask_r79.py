from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    place = torch.arange(max_length, device=lengths.device)
    return torch.gt(lengths.long().unsqueeze(-1), place)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unflatten(0, (-1, 1, 1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return torch.broadcast_to(key_mask(mask), (batch, heads, length, length))


def causal_mask(length: int) -> Tensor:
    steps = torch.ones(length, length, dtype=torch.int32).cumsum(0)   # row i holds i + 1
    return steps > torch.arange(length)


def combined_mask(mask: Tensor) -> Tensor:
    causal = causal_mask(mask.size(1)).to(mask.device)
    return torch.logical_and(key_mask(mask), causal)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = torch.eq(mask, 0)
    return torch.where(hidden, -torch.inf, scores).softmax(-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    # log 1 = 0, log 0 = -inf
    return torch.log(mask.to(scores.dtype))
