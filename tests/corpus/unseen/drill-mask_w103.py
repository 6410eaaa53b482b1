from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    """1 表示真实 token, 0 表示 padding"""
    pos = torch.arange(max_length, device=lengths.device).unsqueeze(0)
    return pos.lt(lengths.unsqueeze(1))


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(2)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    n = mask.shape[-1]
    return key_mask(mask).expand(-1, heads, n, -1)


def causal_mask(length: int) -> Tensor:
    i = torch.arange(length)
    return i.unsqueeze(1) >= i.unsqueeze(0)


def combined_mask(mask: Tensor) -> Tensor:
    return torch.logical_and(key_mask(mask), causal_mask(mask.shape[-1]).to(mask.device))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    # 被遮住的位置填负无穷
    lowest = torch.tensor(float("-inf"), dtype=scores.dtype, device=scores.device)
    filled = torch.where(mask.bool(), scores, lowest)
    return filled.softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    # True -> 0, False -> -inf
    blocked = (~mask).to(scores.dtype)
    return blocked * torch.finfo(scores.dtype).min
