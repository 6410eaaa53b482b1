from __future__ import annotations

import torch
from torch import Tensor


def _shifted(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    top = x.max(dim=dim, keepdim=True).values
    return top, (x - top).exp()


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    _, e = _shifted(x, dim)
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    top, e = _shifted(x, dim)
    return (top + e.sum(dim=dim, keepdim=True).log()).squeeze()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    on = (mask != 0).expand_as(scores)
    low = torch.finfo(scores.dtype).min
    _, e = _shifted(scores.masked_fill(~on, low), -1)
    e = e.masked_fill(~on, 0)
    total = e.sum(-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1)
