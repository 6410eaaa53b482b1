# attn-kata: drill-softmax
from __future__ import annotations

import torch
from torch import Tensor


def _exponentials(x: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor]:
    """The largest entry, exp of the distances to it, and their sum; all keep the axis."""
    with torch.no_grad():
        largest, _ = torch.max(x, dim=dim, keepdim=True)
    powers = torch.exp(x - largest)
    total = torch.sum(powers, dim=dim, keepdim=True)
    return largest, powers, total


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    _, powers, total = _exponentials(x, dim)
    return torch.div(powers, total)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    largest, _, total = _exponentials(x, dim)
    return torch.add(largest, torch.log(total)).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """An ordinary softmax where something counts; rows where nothing does are silenced afterwards."""
    counts = mask.to(torch.bool).expand_as(scores)
    something = counts.any(dim=-1, keepdim=True)
    # rows in which nothing counts become rows of zeros: harmless, and constant for autograd
    shown = torch.where(something, scores, torch.zeros_like(scores))
    hidden = something & ~counts
    weights = softmax(shown.masked_fill(hidden, float("-inf")), dim=-1)
    return weights.masked_fill(~something, 0.0)
