from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device) < lengths[:, None]


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None, :]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    rows = mask[:, None, :, None]
    return rows.expand(batch, heads, length, length)


def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def combined_mask(mask: Tensor) -> Tensor:
    return key_mask(mask) & causal_mask(mask.shape[-1]).to(mask.device)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    blank = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    return blank.masked_fill(mask.logical_not(), float("-inf"))
