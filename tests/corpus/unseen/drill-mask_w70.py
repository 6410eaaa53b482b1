from __future__ import annotations

import torch
from torch import Tensor

NEG_INF = float("-inf")


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    (B,) = lengths.shape
    out = torch.arange(max_length, device=lengths.device).repeat(B, 1).lt(lengths.reshape(B, 1))
    assert out.shape == (B, max_length) and out.dtype is torch.bool
    return out


def key_mask(mask: Tensor) -> Tensor:
    B, N = mask.shape
    out = mask.unsqueeze(1).unsqueeze(1)
    assert out.shape == (B, 1, 1, N)
    return out


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    B, N = mask.shape
    out = key_mask(mask).broadcast_to(B, heads, N, N)
    assert out.stride()[1:3] == (0, 0) or 1 in (heads, N)
    return out


def causal_mask(length: int) -> Tensor:
    out = torch.ones((length, length), dtype=torch.bool).tril_()
    assert bool(out.diagonal().all())
    return out


def combined_mask(mask: Tensor) -> Tensor:
    B, N = mask.shape
    causal = causal_mask(N).to(mask.device).reshape(1, 1, N, N)
    out = causal & mask.reshape(B, 1, N, 1)
    assert out.shape == (B, 1, N, N)
    return out


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    B, H, N, M = scores.shape
    out = torch.where(mask.bool(), scores, NEG_INF).softmax(3)
    assert out.shape == (B, H, N, M)
    return out


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    out = torch.full(mask.shape, NEG_INF, dtype=scores.dtype, device=scores.device)
    return out.masked_fill(mask, 0.0)
