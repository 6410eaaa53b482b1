from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    filled = lengths.new_ones(lengths.size(0), max_length).cumsum(dim=1)
    return filled <= lengths[:, None]


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return key_mask(mask).expand(-1, heads, mask.size(1), -1)


def causal_mask(length: int) -> Tensor:
    return torch.full((length, length), True).tril()


def combined_mask(mask: Tensor) -> Tensor:
    batch, length = mask.shape
    lengths = mask.sum(dim=1)
    real = padding_mask(lengths, length)
    return key_mask(real) & causal_mask(length).to(mask.device)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(torch.where(mask > 0, scores, float("-inf")), dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return torch.where(mask, 0.0, float("-inf")).to(scores.dtype)
