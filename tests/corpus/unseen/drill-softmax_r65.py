from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Normalizer(NamedTuple):
    """exp(x - peak) and what is needed to normalise it; the axis is kept."""

    exps: Tensor
    peak: Tensor
    total: Tensor

    @classmethod
    def of(cls, x: Tensor, dim: int) -> Normalizer:
        peak = torch.amax(x, dim=dim, keepdim=True).detach()
        exps = torch.exp(x - peak)
        return cls(exps, peak, exps.sum(dim=dim, keepdim=True))


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    stats = Normalizer.of(x, dim)
    return stats.exps.div(stats.total)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    stats = Normalizer.of(x, dim)
    return (stats.peak + stats.total.log()).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    shown = mask.bool().expand_as(scores)
    lowest = torch.finfo(scores.dtype).min
    peak = scores.masked_fill(~shown, lowest).amax(-1, keepdim=True).detach()
    # hidden scores are replaced before exp, so nothing there can overflow
    exps = torch.where(shown, scores - peak, 0.0).exp() * shown
    total = exps.sum(-1, keepdim=True)
    return exps / torch.where(total > 0, total, 1.0)
