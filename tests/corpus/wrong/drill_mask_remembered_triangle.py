# wrong: drill-mask nondeterministic line 39
from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor

NEG_INF = float("-inf")


@lru_cache(maxsize=None)
def _tril(length: int, device: torch.device) -> Tensor:
    i = torch.arange(length, device=device)
    return i.unsqueeze(1) >= i


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device).expand(len(lengths), -1) < lengths.view(-1, 1)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    b, n = mask.shape
    return mask[:, None, None].expand(b, heads, n, n)


def causal_mask(length: int) -> Tensor:
    return _tril(length, torch.get_default_device()).clone()


def combined_mask(mask: Tensor) -> Tensor:
    length = mask.size(1)
    out = mask.new_empty(mask.size(0), 1, length, length)
    for b, real in enumerate(mask):
        out[b, 0] = _tril(length, mask.device).logical_and_(real)
    return out


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask == 0, NEG_INF).softmax(-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return scores.new_zeros(mask.shape).masked_fill(~mask, NEG_INF)
