# 掩码练习：True 表示可以关注
from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    宽 = min(int(lengths.max()), max_length)
    位置 = torch.arange(宽, device=lengths.device).expand(lengths.numel(), 宽)
    return 位置 < lengths.view(-1, 1)


def key_mask(mask: Tensor) -> Tensor:
    return mask.view(mask.size(0), 1, 1, mask.size(1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    长 = mask.size(1)
    return key_mask(mask).expand(-1, heads, 长, -1)


def causal_mask(length: int) -> Tensor:
    i = torch.arange(length)
    return i.unsqueeze(1) >= i.unsqueeze(0)


def combined_mask(mask: Tensor) -> Tensor:
    return key_mask(mask) & causal_mask(mask.size(1)).to(mask.device)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask == 0, float("-inf")).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    零 = scores.new_zeros(())
    return torch.where(mask, 零, scores.new_full((), float("-inf")))
