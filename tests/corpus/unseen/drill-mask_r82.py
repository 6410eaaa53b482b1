from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    places = torch.arange(max_length, device=lengths.device)
    return places < lengths.unsqueeze(-1)


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None, :]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return key_mask(mask).expand(batch, heads, length, length)


def causal_mask(length: int) -> Tensor:
    i = torch.arange(length)
    return i[None, :] <= i[:, None]


def combined_mask(mask: Tensor) -> Tensor:
    return key_mask(mask) & causal_mask(mask.shape[-1]).to(mask.device)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = mask == 0
    return scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    zeros = torch.zeros(mask.shape, dtype=scores.dtype, device=mask.device)
    return zeros.masked_fill(~mask, float("-inf"))
