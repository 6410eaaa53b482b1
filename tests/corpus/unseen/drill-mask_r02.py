# attn-kata: drill-mask
from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    # one row after the other
    result = torch.zeros(lengths.shape[0], max_length, dtype=torch.bool, device=lengths.device)
    for row, length in zip(result, lengths.tolist()):
        row[: int(length)] = True
    return result


def key_mask(mask: Tensor) -> Tensor:
    # (batch, length) -> (batch, 1, length) -> (batch, 1, 1, length)
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    # -1 keeps the size of an axis
    return key_mask(mask).expand(-1, heads, mask.size(-1), -1)


def causal_mask(length: int) -> Tensor:
    place = torch.arange(length)
    query, key = place.unsqueeze(1), place.unsqueeze(0)
    return torch.le(key, query)


def combined_mask(mask: Tensor) -> Tensor:
    square = expanded_mask(mask, heads=1)
    return torch.tril(square.to(torch.uint8)).to(torch.bool)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.full((), torch.finfo(scores.dtype).min, dtype=scores.dtype, device=scores.device)
    return torch.softmax(torch.where(mask.bool(), scores, lowest), dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    bias = torch.empty_like(mask, dtype=scores.dtype)
    bias[mask] = 0.0
    bias[~mask] = float("-inf")
    return bias
