from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    places = torch.arange(max_length, device=lengths.device)
    return places.expand(len(lengths), -1) < lengths.unsqueeze(-1)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return key_mask(mask).expand(batch, heads, length, length)


def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def pairs(mask: Tensor) -> Tensor:
    return torch.einsum("bi,bj->bij", mask.byte(), mask.byte()).bool()


def combined_mask(mask: Tensor) -> Tensor:
    both = pairs(mask) & causal_mask(mask.size(-1)).to(mask.device)
    return both.unsqueeze(1)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask == 0, float("-inf")).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    zeros = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    return zeros.masked_fill(mask.logical_not(), float("-inf"))
