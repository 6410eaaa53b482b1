from __future__ import annotations

import torch
from torch import Tensor
import torch.nn.functional as F


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ones = torch.ones(len(lengths), max_length, dtype=torch.long, device=lengths.device)
    return ones.cumsum(1) <= lengths[:, None]


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None, :]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    n = mask.shape[1]
    return torch.broadcast_to(key_mask(mask), (mask.shape[0], heads, n, n))


def causal_mask(length: int) -> Tensor:
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


def combined_mask(mask: Tensor) -> Tensor:
    return key_mask(mask) & causal_mask(mask.shape[1]).to(mask.device)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    shown = mask.to(scores.dtype)
    w = F.softmax(scores, dim=-1) * shown
    total = w.sum(dim=-1, keepdim=True)
    return w / total


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return scores.new_full(mask.shape, float("-inf")).masked_fill(mask, 0.0)
