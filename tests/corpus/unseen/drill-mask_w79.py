from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    places = torch.arange(max_length, device=lengths.device)
    return places[None, :] < lengths[:, None]


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None, :]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    length = mask.shape[1]
    return key_mask(mask).expand(-1, heads, length, -1)


@lru_cache(maxsize=None)
def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def combined_mask(mask: Tensor) -> Tensor:
    batch, length = mask.shape
    seen = causal_mask(length).to(mask.device).view(1, 1, length, length)
    if batch > 1:
        seen = seen.repeat(batch, 1, 1, 1)
    seen &= key_mask(mask)
    return seen


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = mask == 0
    return scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    zeros = torch.zeros(mask.shape, dtype=scores.dtype, device=mask.device)
    return zeros.masked_fill(~mask, float("-inf"))
