from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

MASK_LAYOUT: Final = ("batch", "heads", "query", "key")


def _positions(length: int, device: torch.device | None = None) -> Tensor:
    return torch.arange(length, device=device)


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.lt(_positions(max_length, lengths.device), lengths.unsqueeze(-1))


def key_mask(mask: Tensor) -> Tensor:
    return mask.unflatten(0, (-1, 1, 1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return key_mask(mask).expand(batch, heads, length, length)


def causal_mask(length: int) -> Tensor:
    distance = _positions(length).unsqueeze(1) - _positions(length)
    return distance >= 0


def combined_mask(mask: Tensor) -> Tensor:
    causal = causal_mask(mask.shape[-1]).to(mask.device)
    return torch.logical_and(key_mask(mask), causal)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.finfo(scores.dtype).min
    return torch.where(mask != 0, scores, lowest).softmax(dim=MASK_LAYOUT.index("key"))


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return mask.to(scores.dtype).log()
