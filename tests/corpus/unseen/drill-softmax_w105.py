from __future__ import annotations

import torch
from torch import Tensor


def _stable_exp(x: Tensor, dim: int = -1) -> tuple[Tensor, Tensor]:
    """exp(x - max) and that max; the axis stays, with size 1."""
    peak = x.max(dim=dim, keepdim=True).values
    return torch.exp(x - peak), peak


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    numerator, _ = _stable_exp(x)
    return numerator / numerator.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    numerator, peak = _stable_exp(x, dim)
    return (peak + numerator.sum(dim=dim, keepdim=True).log()).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    seen = (mask != 0).expand_as(scores)
    numerator, _ = _stable_exp(scores.masked_fill(~seen, torch.finfo(scores.dtype).min))
    numerator = numerator * seen
    total = numerator.sum(dim=-1, keepdim=True)
    return numerator / torch.where(total == 0, torch.ones_like(total), total)
