from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = []
    for n in lengths.tolist():
        row = torch.zeros(max_length, dtype=torch.bool, device=lengths.device)
        row[:n] = True
        rows.append(row)
    return torch.stack(rows)


def key_mask(mask: Tensor) -> Tensor:
    batch, length = mask.shape
    return mask.unflatten(0, (batch, 1, 1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return torch.broadcast_to(mask.unsqueeze(1).unsqueeze(2), (batch, heads, length, length))


def causal_mask(length: int) -> Tensor:
    place = torch.arange(length)
    return torch.ge(place.unsqueeze(1), place.unsqueeze(0))


def combined_mask(mask: Tensor) -> Tensor:
    # the lower triangle of every (length, length) square; what is cut off becomes False
    return expanded_mask(mask, 1).tril()


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    seen = mask.to(torch.bool)
    hidden = torch.where(seen, scores, torch.finfo(scores.dtype).min)
    return torch.softmax(hidden, dim=3)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    # log 1 = 0 and log 0 = -inf, exactly
    return mask.to(scores).log()
