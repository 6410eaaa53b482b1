from __future__ import annotations

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    exps = _shifted(x, dim)[0].exp()
    return exps / exps.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    shifted, largest = _shifted(x, dim)
    return shifted.exp().sum(dim=dim).log() + largest.squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    counts = (mask != 0).expand_as(scores)
    shifted, _ = _shifted(scores, -1)
    exps = shifted.exp() * counts
    total = exps.sum(dim=-1, keepdim=True)
    # nothing counts: all 0, and no division by 0
    return exps / torch.where(total > 0, total, torch.ones_like(total))


def _shifted(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """x less its maximum along dim, and that maximum; the largest exponential is exp(0)."""
    largest = x.amax(dim=dim, keepdim=True)
    return x - largest, largest
