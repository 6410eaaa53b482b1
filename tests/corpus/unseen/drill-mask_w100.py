from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    """A flag where each sample ends; behind its flag there is padding."""
    flags = torch.zeros(len(lengths), max_length + 1, dtype=torch.int32, device=lengths.device)
    flags.scatter_(1, lengths.long().unsqueeze(1), 1)
    ended = flags.cumsum(dim=1)[:, 1:]
    return ended == 0


def key_mask(mask: Tensor) -> Tensor:
    return mask.view(mask.size(0), 1, 1, mask.size(1)) if mask.is_contiguous() else mask[:, None, None]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return mask[:, None, None].expand(-1, heads, mask.size(1), -1)


def causal_mask(length: int) -> Tensor:
    return ~torch.ones(length, length, dtype=torch.bool).triu(1)


def combined_mask(mask: Tensor) -> Tensor:
    rows = [mask & (torch.arange(mask.size(1), device=mask.device) <= i) for i in range(mask.size(1))]
    return torch.stack(rows, dim=1).unsqueeze(1)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    low = torch.finfo(scores.dtype).min
    return scores.masked_fill(mask.logical_not(), low).softmax(-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return torch.where(mask, 0.0, -torch.inf).to(scores.dtype)
