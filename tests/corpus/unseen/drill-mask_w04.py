# attn-kata: drill-mask
from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    """(B,) -> (B, max_length)"""
    assert lengths.dim() == 1, "lengths must be (batch,)"
    steps = torch.arange(max_length, device=lengths.device, dtype=lengths.dtype)
    return steps.unsqueeze(0) < lengths.unsqueeze(1)


def key_mask(mask: Tensor) -> Tensor:
    """(B, T) -> (B, 1, 1, T)"""
    assert mask.dim() == 2, "mask must be (batch, length)"
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    """(B, T) -> (B, H, T, T)"""
    batch, length = mask.shape
    expanded = key_mask(mask).expand(batch, heads, length, length)
    assert expanded.shape == (batch, heads, length, length)
    return expanded.contiguous()


def causal_mask(length: int) -> Tensor:
    """-> (T, T)"""
    assert length >= 1, "length must be positive"
    return torch.tril(torch.ones((length, length), dtype=torch.bool))


def combined_mask(mask: Tensor) -> Tensor:
    """(B, T) -> (B, 1, T, T)"""
    causal = causal_mask(mask.shape[1]).to(device=mask.device)
    return key_mask(mask) & causal.unsqueeze(0).unsqueeze(0)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    """(B, H, T, T) -> (B, H, T, T)"""
    hidden = mask.to(torch.bool).logical_not()
    weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1)
    assert weights.shape == scores.shape
    return weights


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    """(B, 1, T, T) -> (B, 1, T, T)"""
    assert mask.dtype == torch.bool, "mask must be boolean"
    result = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    return result.masked_fill(~mask, float("-inf"))
