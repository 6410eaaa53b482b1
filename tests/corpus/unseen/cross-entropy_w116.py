from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


class SmoothedLoss:
    """Holds the settings, and does forward and backward with the same numbers."""

    def __init__(self, ignore_index: int, label_smoothing: float) -> None:
        self.ignore_index = ignore_index
        self.epsilon = label_smoothing

    def _prepare(self, logits: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        shifted = logits - logits.amax(dim=-1, keepdim=True)
        log_p = shifted - shifted.exp().sum(dim=-1, keepdim=True).log()
        valid = targets.ne(self.ignore_index)
        safe = torch.where(valid, targets, torch.zeros_like(targets))
        return log_p, valid, safe

    def forward(self, logits: Tensor, targets: Tensor) -> Tensor:
        log_p, valid, safe = self._prepare(logits, targets)
        nll = -log_p.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
        loss = nll.masked_fill(~valid, 0.0).sum() / valid.sum()
        if self.epsilon == 0.0:
            return loss
        uniform = -log_p.mean(dim=-1).mean()
        return (1.0 - self.epsilon) * loss + self.epsilon * uniform

    def backward(self, logits: Tensor, targets: Tensor) -> Tensor:
        log_p, valid, safe = self._prepare(logits, targets)
        classes = log_p.size(-1)
        q = F.one_hot(safe, classes).to(log_p.dtype)
        q = q * (1.0 - self.epsilon) + self.epsilon / classes
        grad = (log_p.exp() - q) / valid.sum()
        return grad.masked_fill(~valid.unsqueeze(-1), 0.0)


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    return SmoothedLoss(ignore_index, label_smoothing).forward(logits, targets)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    return SmoothedLoss(ignore_index, label_smoothing).backward(logits, targets)
