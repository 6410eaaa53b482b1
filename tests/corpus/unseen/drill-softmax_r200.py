# attn-kata: drill-softmax
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class ShiftedExponentials:
    """The pieces that all three functions share, each made when it is first asked for.

    A slice (along `dim`) in which nothing is visible has the peak 0 and the total 0.
    """

    logits: Tensor
    dim: int = -1
    visible: Tensor | None = None

    @cached_property
    def work(self) -> Tensor:
        return self.logits.to(torch.promote_types(self.logits.dtype, torch.float32))

    @cached_property
    def candidates(self) -> Tensor:
        if self.visible is None:
            return self.work
        return torch.where(self.visible, self.work, -torch.inf)

    @cached_property
    def peak(self) -> Tensor:
        # a constant: what the shift contributes to the gradient cancels
        top = self.candidates.detach().amax(dim=self.dim, keepdim=True)
        return torch.where(top.isinf(), 0.0, top)

    @cached_property
    def exponentials(self) -> Tensor:
        return torch.exp(self.candidates - self.peak)

    @cached_property
    def total(self) -> Tensor:
        return self.exponentials.sum(dim=self.dim, keepdim=True)

    def shares(self) -> Tensor:
        divisor = torch.where(self.total == 0, 1.0, self.total)
        return (self.exponentials / divisor).to(self.logits.dtype)

    def log_total(self) -> Tensor:
        return (self.peak + self.total.log()).squeeze(self.dim).to(self.logits.dtype)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return ShiftedExponentials(x, dim).shares()


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    return ShiftedExponentials(x, dim).log_total()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return ShiftedExponentials(scores, visible=mask != 0).shares()
