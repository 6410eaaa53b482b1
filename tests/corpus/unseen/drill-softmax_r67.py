# three reductions, built from one helper that returns shifted exponentials
from __future__ import annotations

import torch
from torch import Tensor


def _lift(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    peak, _ = torch.max(x, dim=dim, keepdim=True)
    return peak, torch.exp(x - peak)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    _, e = _lift(x, dim)
    return e.div(e.sum(dim, keepdim=True))


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    peak, e = _lift(x, dim)
    return (peak + e.sum(dim, keepdim=True).log()).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    on = (mask != 0).expand_as(scores)
    # the peak is that of the visible scores; exponentials of hidden ones are not taken at all
    floor = torch.finfo(scores.dtype).min
    peak = torch.where(on, scores, floor).amax(-1, keepdim=True)
    peak = torch.where(on.any(-1, keepdim=True), peak, 0.0)
    e = torch.exp(torch.where(on, scores - peak, 0.0)) * on
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total > 0, total, 1.0)
