# attn-kata: drill-mask
from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device)
    return positions.lt(lengths.unsqueeze(-1))


def key_mask(mask: Tensor) -> Tensor:
    return mask.view(mask.shape[0], 1, 1, mask.shape[1])


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return key_mask(mask).expand(-1, heads, mask.shape[1], -1)


def causal_mask(length: int) -> Tensor:
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def combined_mask(mask: Tensor) -> Tensor:
    return torch.logical_and(key_mask(mask), causal_mask(mask.shape[-1]).to(mask.device))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min), dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return torch.where(mask, torch.tensor(0.0), torch.tensor(float("-inf")))
