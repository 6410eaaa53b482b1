from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Spec(NamedTuple):
    skip: int
    eps: float

    def counted(self, targets: Tensor) -> Tensor:
        return targets.ne(self.skip)


class Rows:
    """What counts, as rows: (n, classes) logits and (n,) classes. Ignored rows are gone."""

    def __init__(self, logits: Tensor, targets: Tensor, spec: Spec) -> None:
        self.counted = spec.counted(targets)
        kind = torch.promote_types(logits.dtype, torch.float32)
        self.z = logits[self.counted].to(kind)
        self.t = targets[self.counted].long()
        self.spec = spec

    @property
    def n(self) -> int:
        return self.t.numel()

    def log_probs(self) -> Tensor:
        z = self.z - self.z.amax(dim=1, keepdim=True).detach()
        return z - z.exp().sum(dim=1, keepdim=True).log()

    def aims(self) -> Tensor:
        q = torch.full_like(self.z, self.spec.eps / self.z.size(1))
        q[torch.arange(self.n, device=q.device), self.t] += 1 - self.spec.eps
        return q


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    rows = Rows(logits, targets, Spec(ignore_index, label_smoothing))
    loss = -(rows.aims() * rows.log_probs()).sum() / rows.n
    return loss.to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    with torch.no_grad():
        rows = Rows(logits, targets, Spec(ignore_index, label_smoothing))
        grad = torch.zeros_like(logits)
        grad[rows.counted] = ((rows.log_probs().exp() - rows.aims()) / rows.n).to(grad.dtype)
        return grad
