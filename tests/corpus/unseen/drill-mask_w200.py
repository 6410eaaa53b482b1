from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return lengths[:, None] > torch.arange(max_length, device=lengths.device)


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return key_mask(mask).expand(-1, heads, mask.shape[1], -1)


def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length).tril() > 0


def combined_mask(mask: Tensor) -> Tensor:
    return causal_mask(mask.shape[1]).to(mask.device).logical_and(key_mask(mask))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    # softmax written out: numerators of hidden keys are exactly 0, no fill value needed
    wide = scores if scores.dtype == torch.float64 else scores.float()
    numer = (wide - wide.amax(dim=-1, keepdim=True)).exp() * (mask != 0)
    denom = numer.sum(dim=-1, keepdim=True)
    return (numer / denom).to(scores.dtype)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    zero = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    return zero.masked_fill_(mask.logical_not(), -torch.inf)
