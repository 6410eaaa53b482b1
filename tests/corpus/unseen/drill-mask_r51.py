from __future__ import annotations

import torch
from torch import Tensor

NEG_INF = float("-inf")


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    # row n - 1 of a full triangle shows n places
    return torch.ones(max_length, max_length, dtype=torch.bool, device=lengths.device).tril()[lengths.long() - 1]


def key_mask(mask: Tensor) -> Tensor:
    return mask.unflatten(0, (mask.size(0), 1, 1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    b, n = mask.shape
    return mask.as_strided((b, heads, n, n), (mask.stride(0), 0, 0, mask.stride(1)), mask.storage_offset())


def causal_mask(length: int) -> Tensor:
    return ~torch.ones((length, length), dtype=torch.bool).triu(diagonal=1)


def combined_mask(mask: Tensor) -> Tensor:
    # tril works on the last two axes, for every sample
    return key_mask(mask).repeat(1, 1, mask.size(1), 1).tril()


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = torch.logical_not(mask)
    visible_scores = torch.where(hidden, NEG_INF, scores)
    top = visible_scores.amax(-1, keepdim=True)
    e = (visible_scores - top).exp()
    return e / e.sum(-1, keepdim=True)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    # log 1 = 0 and log 0 = -inf
    return mask.to(scores).log()
