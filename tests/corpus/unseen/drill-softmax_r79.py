from __future__ import annotations

import torch
from torch import Tensor


def _shifted_exp(x: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor]:
    top = x.amax(dim, keepdim=True)
    e = torch.exp(x - top)
    return top, e, e.sum(dim, keepdim=True)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    _, e, total = _shifted_exp(x, dim)
    return e / total


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    top, _, total = _shifted_exp(x, dim)
    return (top + total.log()).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    counts = (mask != 0).broadcast_to(scores.shape)
    some = counts.any(-1, keepdim=True)
    # empty rows take an even softmax here, and are zeroed as a whole below
    s = torch.where(some, scores, 0.0).masked_fill(some & ~counts, -torch.inf)
    _, e, total = _shifted_exp(s, -1)
    return torch.where(some, e / total, 0.0)
