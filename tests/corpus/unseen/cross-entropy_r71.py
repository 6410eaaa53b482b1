from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass
class Problem:
    """Everything that loss and gradient share, each made when first asked for."""

    logits: Tensor
    targets: Tensor
    ignore: int
    eps: float

    @cached_property
    def z(self) -> Tensor:
        return self.logits if self.logits.dtype == torch.float64 else self.logits.float()

    @cached_property
    def alive(self) -> Tensor:
        return self.targets.ne(self.ignore)

    @cached_property
    def label(self) -> Tensor:
        return self.targets.clamp(0, self.z.size(-1) - 1).unsqueeze(-1)

    @cached_property
    def log_z(self) -> Tensor:
        # logaddexp, folded as a tree: no maximum in sight
        parts = self.z
        while parts.size(-1) > 1:
            odd = parts[..., -1:] if parts.size(-1) % 2 else None
            half = parts.size(-1) // 2
            joined = torch.logaddexp(parts[..., :half], parts[..., half : 2 * half])
            parts = joined if odd is None else torch.cat((joined, odd), -1)
        return parts

    @cached_property
    def n(self) -> Tensor:
        return self.alive.sum()


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    p = Problem(logits, targets, ignore_index, label_smoothing)
    nll = p.log_z - p.z.gather(-1, p.label)
    uniform = p.log_z - p.z.mean(-1, keepdim=True)
    each = (nll + p.eps * (uniform - nll)).squeeze(-1)
    return torch.where(p.alive, each, 0.0).sum() / p.n


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0) -> Tensor:
    p = Problem(logits, targets, ignore_index, label_smoothing)
    grad = (p.z - p.log_z).exp() - p.eps / p.z.size(-1)
    grad = grad.scatter_add(-1, p.label, torch.full_like(grad[..., :1], p.eps - 1))
    return torch.where(p.alive.unsqueeze(-1), grad, 0.0) / p.n
