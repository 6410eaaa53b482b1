from __future__ import annotations

import torch
from torch import Tensor


class Stable:
    """exp(x - max) and its sum, along one axis."""

    def __init__(self, x: Tensor, dim: int, keep: Tensor | None = None):
        self.m = torch.amax(x, dim, keepdim=True)
        self.e = torch.exp(x - self.m)
        if keep is not None:
            self.e = self.e * keep
        self.s = self.e.sum(dim, keepdim=True)
        self.dim = dim

    def shares(self) -> Tensor:
        return self.e / torch.where(self.s == 0, torch.ones_like(self.s), self.s)

    def log(self) -> Tensor:
        return torch.add(self.m, self.s.log()).squeeze(self.dim)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return Stable(x, dim).shares()


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    return Stable(x, dim).log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return Stable(scores, -1, keep=mask.to(scores.dtype)).shares()
