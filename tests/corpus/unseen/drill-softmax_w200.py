# attn-kata: drill-softmax
from __future__ import annotations

from typing import Callable, NamedTuple

import torch
from torch import Tensor


class Stabilized(NamedTuple):
    peak: Tensor
    exps: Tensor
    total: Tensor


def stabilize(x: Tensor, dim: int) -> Stabilized:
    """max, exp(x - max) and their sum; the reduced axis is kept for broadcasting."""
    peak = x.amax(dim=dim, keepdim=True)
    exps = torch.exp(x - peak)
    return Stabilized(peak, exps, exps.sum(dim=dim, keepdim=True))


READOUTS: dict[str, Callable[[Stabilized], Tensor]] = {
    "shares": lambda s: s.exps / s.total,
    "log_total": lambda s: (s.peak + s.total.log()).squeeze(),
}


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return READOUTS["shares"](stabilize(x, dim))


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    return READOUTS["log_total"](stabilize(x, dim))


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    visible = mask.bool().expand_as(scores)
    lowest = torch.finfo(scores.dtype).min
    shares = READOUTS["shares"](stabilize(scores.masked_fill(~visible, lowest), -1))
    return shares.masked_fill(~visible, 0.0)
