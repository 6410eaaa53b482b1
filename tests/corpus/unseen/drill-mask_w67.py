from __future__ import annotations

import math

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return lengths[:, None] > torch.arange(max_length, device=lengths.device)


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None, :]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return mask[:, None, None, :].expand(-1, heads, mask.size(-1), -1)


def causal_mask(length: int) -> Tensor:
    return torch.ones((length, length)).triu(1) == 0


def combined_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None, :] & causal_mask(mask.size(-1)).to(mask.device)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask != 0, scores, torch.finfo(scores.dtype).min).softmax(-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return torch.where(mask, 0.0, -math.inf).to(scores.device)
