from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class AttentionMaskConverter:
    """Makes 4-d masks of 2-d ones; True where attention is allowed."""

    is_causal: bool = False

    def to_4d(self, mask: Tensor) -> Tensor:
        out = mask[:, None, None, :]
        if self.is_causal:
            allowed = self.make_causal(mask.shape[-1], mask.device)
            out = out & allowed
        return out

    @staticmethod
    def make_causal(length: int, device: torch.device | None = None) -> Tensor:
        cond = torch.arange(length, device=device)
        return cond < (cond + 1).view(length, 1)

    @staticmethod
    def to_bias(mask: Tensor, scores: Tensor) -> Tensor:
        bias = torch.zeros(mask.shape, device=scores.device)
        return bias.masked_fill_(~mask, float("-inf"))


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    positions = torch.arange(max_length, device=lengths.device).expand(lengths.shape[0], -1)
    return positions < lengths.view(-1, 1)


def key_mask(mask: Tensor) -> Tensor:
    return AttentionMaskConverter().to_4d(mask)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch_size, length = mask.shape
    return key_mask(mask).expand(batch_size, heads, length, length)


def causal_mask(length: int) -> Tensor:
    return AttentionMaskConverter.make_causal(length)


def combined_mask(mask: Tensor) -> Tensor:
    return AttentionMaskConverter(is_causal=True).to_4d(mask)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = mask.to(torch.bool).logical_not()
    return torch.nn.functional.softmax(scores.masked_fill(hidden, torch.finfo(scores.dtype).min), dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return AttentionMaskConverter.to_bias(mask, scores)
