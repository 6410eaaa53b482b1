from __future__ import annotations

import torch
from torch import Tensor


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    """Halve the axis again and again: log(e^a + e^b) = max + log1p(e^-|a-b|)."""
    parts = list(x.unbind(dim))
    while len(parts) > 1:
        merged = []
        for a, b in zip(parts[0::2], parts[1::2]):
            hi = torch.where(a > b, a, b)
            lo = torch.where(a > b, b, a)
            merged.append(hi + torch.log1p(torch.exp(lo - hi)))
        if len(parts) % 2:
            merged.append(parts[-1])
        parts = merged
    return parts[0]


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    x = x.movedim(dim, 0)
    e = torch.exp(x - x.detach().max(0)[0])
    return torch.div(e, e.sum(0)).movedim(0, dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    shown = torch.broadcast_to(mask > 0, scores.shape)
    something = shown.any(-1, keepdim=True)
    inside = torch.where(shown | ~something, scores, torch.full_like(scores, float("-inf")))
    return torch.where(something, softmax(inside), torch.zeros_like(scores))
