from __future__ import annotations

import torch
from torch import Tensor


def _peak(x: Tensor, dim: int) -> Tensor:
    return x.amax(dim=dim, keepdim=True)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e = (x - _peak(x, dim)).exp()
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    top = x.max()
    total = torch.exp(x - top).sum(dim=dim)
    return top + torch.log(total)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    counts = (mask != 0).expand_as(scores)
    lowest = torch.finfo(scores.dtype).min
    shown = scores.masked_fill(~counts, lowest)
    e = torch.exp(shown - _peak(shown, -1)).masked_fill(~counts, 0)
    total = e.sum(dim=-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1)
