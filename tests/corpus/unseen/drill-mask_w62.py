from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return lengths[:, None] > torch.arange(max_length, device=lengths.device)


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None, :]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return mask[:, None, None, :].expand(-1, heads, mask.size(1), -1)


def causal_mask(length: int) -> Tensor:
    i, j = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    return j <= i


def combined_mask(mask: Tensor) -> Tensor:
    length = mask.size(1)
    # (batch, length, length): outer "and" of the flags
    real = mask.unsqueeze(2) & mask.unsqueeze(1)
    past = causal_mask(length).to(mask.device)
    return (real & past).unsqueeze(1)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    floor = torch.full((), float("-inf"), dtype=scores.dtype, device=scores.device)
    return torch.where(mask.to(torch.bool), scores, floor).softmax(-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    zero, hidden = scores.new_tensor(0.0), scores.new_tensor(float("-inf"))
    return torch.where(mask, zero, hidden)
