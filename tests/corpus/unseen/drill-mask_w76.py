from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    idx = torch.arange(max_length, device=lengths.device).expand(lengths.numel(), -1)
    return idx < lengths.unsqueeze(-1)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return key_mask(mask).expand(-1, heads, mask.size(1), -1)


def causal_mask(length: int) -> Tensor:
    return torch.triu(torch.ones((length, length), dtype=torch.bool), diagonal=1)


def combined_mask(mask: Tensor) -> Tensor:
    i = torch.arange(mask.size(1), device=mask.device)
    return key_mask(mask) & (i.view(-1, 1) >= i.view(1, -1))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    filled = torch.where(mask.bool(), scores, torch.finfo(scores.dtype).min)
    return torch.softmax(filled, dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    zero = torch.zeros((), dtype=scores.dtype, device=mask.device)
    return torch.where(mask, zero, zero - float("inf"))
