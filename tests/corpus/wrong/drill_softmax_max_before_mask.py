# wrong: drill-softmax max-over-hidden line 27
# fair: max-over-hidden 11, 27
from __future__ import annotations

import torch
from torch import Tensor


def exponentials(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """exp(x - m), at most 1, and m."""
    m = x.amax(dim=dim, keepdim=True)
    return (x - m).exp(), m


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e, _ = exponentials(x, dim)
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    e, m = exponentials(x, dim)
    return e.sum(dim=dim).log() + m.squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    shown = (mask != 0).expand_as(scores)
    e, _ = exponentials(scores, -1)
    e = e.masked_fill(~shown, 0)
    total = e.sum(dim=-1, keepdim=True)
    empty = total == 0
    return e / total.masked_fill(empty, 1)
