from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device).lt(lengths.unsqueeze(-1))


def key_mask(mask: Tensor) -> Tensor:
    return mask.view(mask.size(0), 1, 1, mask.size(1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return mask[:, None, :, None].expand(batch, heads, length, length)


def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length).tril().bool()


def combined_mask(mask: Tensor) -> Tensor:
    return causal_mask(mask.size(1)).to(mask.device).logical_and(key_mask(mask))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = torch.logical_not(mask)
    return scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    zeros = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    return zeros.masked_fill_(~mask, float("-inf"))
