# Online: one pass over the axis, as a tree of halves. A pair (m, r) stands for r * exp(m).
from __future__ import annotations

import torch
from torch import Tensor


def _plus(a: tuple[Tensor, Tensor], b: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    m = torch.maximum(a[0], b[0]).detach()
    return m, a[1] * torch.exp(a[0] - m) + b[1] * torch.exp(b[0] - m)


def _total(x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """(m, r) of the sum of weight * exp(x) over the last axis, which stays as 1."""
    n = x.shape[-1]
    if n == 1:
        return x, weight
    h = n // 2
    return _plus(_total(x[..., :h], weight[..., :h]), _total(x[..., h:], weight[..., h:]))


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    y = x.movedim(dim, -1)
    m, r = _total(y, torch.ones_like(y))
    return ((y - m).exp() / r).movedim(-1, dim)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    y = x.movedim(dim, -1)
    m, r = _total(y, torch.ones_like(y))
    return (m + r.log()).squeeze(-1)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    counts = (mask != 0).expand_as(scores)
    # what is hidden goes to where the largest visible one is, so that its exp is 1 before it is dropped
    lowest = torch.finfo(scores.dtype).min
    top = scores.detach().masked_fill(~counts, lowest).amax(-1, keepdim=True)
    e = torch.where(counts, scores - top, 0).exp() * counts
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0, 1, total)
