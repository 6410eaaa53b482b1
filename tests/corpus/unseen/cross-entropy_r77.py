from __future__ import annotations

import dataclasses
from functools import cached_property

import torch
from torch import Tensor


@dataclasses.dataclass
class Problem:
    """What loss and gradient have in common; each part is worked out once, when asked for."""

    logits: Tensor
    targets: Tensor
    ignore_index: int = -1
    label_smoothing: float = 0.0

    @cached_property
    def counts(self) -> Tensor:
        return self.targets != self.ignore_index

    @cached_property
    def number(self) -> Tensor:
        return self.counts.sum()

    @cached_property
    def log_p(self) -> Tensor:
        wide = self.logits.to(torch.promote_types(self.logits.dtype, torch.float32))
        shifted = wide - wide.amax(dim=-1, keepdim=True)
        return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()

    @cached_property
    def q(self) -> Tensor:
        classes = self.logits.shape[-1]
        label = torch.where(self.counts, self.targets, 0).long()
        hot = torch.nn.functional.one_hot(label, classes).to(self.log_p.dtype)
        match self.label_smoothing:
            case 0 | 0.0:
                return hot
            case eps:
                return hot * (1 - eps) + eps / classes


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    p = Problem(logits, targets, ignore_index, label_smoothing)
    each = -(p.q * p.log_p).sum(dim=-1)
    return (each.where(p.counts, 0.0).sum() / p.number).to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    p = Problem(logits, targets, ignore_index, label_smoothing)
    grad = (p.log_p.exp() - p.q) / p.number
    return grad.where(p.counts.unsqueeze(-1), 0.0).to(logits.dtype)
