from __future__ import annotations

import torch
from torch import Tensor


class _Stable:
    """exp(x - m), and m, with m kept out of the graph."""

    def __init__(self, x: Tensor, dim: int):
        self.dim = dim
        self.m = x.detach().amax(dim, keepdim=True)
        self.e = torch.exp(x - self.m)

    @property
    def total(self) -> Tensor:
        return self.e.sum(self.dim, keepdim=True)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    s = _Stable(x, dim)
    return s.e / s.total


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    s = _Stable(x, dim)
    return (s.m + s.total.log()).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    counts = torch.broadcast_to(mask != 0, scores.shape)
    floor = torch.finfo(scores.dtype).min
    top = torch.where(counts, scores.detach(), floor).amax(-1, keepdim=True)
    # hidden entries are set to the top before exp, so that nothing can overflow
    e = torch.where(counts, scores, top).sub(top).exp() * counts
    total = e.sum(-1, keepdim=True)
    return e / total.clamp_min(torch.finfo(scores.dtype).tiny)
