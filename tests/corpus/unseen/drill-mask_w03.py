# attn-kata: drill-mask
from __future__ import annotations

import math

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.stack([torch.arange(max_length, device=lengths.device) < n for n in lengths])


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    B, T = mask.shape
    return mask[:, None, None].expand(B, heads, T, T)


def causal_mask(length: int) -> Tensor:
    i = torch.arange(length)
    return i[:, None] >= i


def combined_mask(mask: Tensor) -> Tensor:
    i = torch.arange(mask.shape[1], device=mask.device)
    return mask[:, None, None] & (i[:, None] >= i)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    fill = torch.finfo(scores.dtype).tiny
    return torch.where(mask != 0, scores, torch.full_like(scores, fill)).softmax(-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return scores.new_zeros(mask.shape).masked_fill_(~mask, -math.inf)
