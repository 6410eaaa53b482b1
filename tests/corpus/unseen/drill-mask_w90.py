from __future__ import annotations

import torch
from torch import Tensor

NEVER = float("-inf")


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = []
    for n in lengths.tolist():
        rows.append([place < n for place in range(max_length)])
    return torch.tensor(rows, dtype=torch.bool, device=lengths.device)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(2)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return key_mask(mask).expand(-1, heads, mask.shape[-1], -1)


def causal_mask(length: int) -> Tensor:
    at = torch.arange(length)
    return at[:, None] >= at[None, :]


def combined_mask(mask: Tensor) -> Tensor:
    pairs = mask[:, :, None] & mask[:, None, :]
    return (pairs & causal_mask(mask.shape[-1]).to(mask.device))[:, None]


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(torch.where(mask != 0, scores, NEVER), dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    shown = torch.tensor(0.0, dtype=scores.dtype, device=scores.device)
    return torch.where(mask, shown, shown + NEVER)
