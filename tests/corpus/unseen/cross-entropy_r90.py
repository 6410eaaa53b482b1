from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import one_hot


class _Parts:
    """Everything that the loss and its gradient have in common."""

    def __init__(self, logits: Tensor, targets: Tensor, ignore_index: int, smoothing: float) -> None:
        wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
        self.counts = (targets != ignore_index).unsqueeze(-1)
        self.total = self.counts.sum()
        classes = logits.size(-1)
        safe = torch.where(targets == ignore_index, torch.zeros_like(targets), targets)
        hard = one_hot(safe.long(), classes).to(wide.dtype)
        self.q = torch.lerp(hard, torch.full_like(hard, 1 / classes), smoothing)
        shifted = wide - wide.max(dim=-1, keepdim=True).values
        self.log_p = shifted - shifted.exp().sum(dim=-1, keepdim=True).log()

    def loss(self) -> Tensor:
        return -(self.q * self.log_p * self.counts).sum() / self.total

    def gradient(self) -> Tensor:
        return (self.log_p.exp() - self.q) * self.counts / self.total


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets, ignore_index, smoothing):
        parts = _Parts(logits, targets, ignore_index, smoothing)
        ctx.save_for_backward(parts.gradient())
        ctx.dtype = logits.dtype
        return parts.loss().to(logits.dtype)

    @staticmethod
    def backward(ctx, grad_loss):
        (gradient,) = ctx.saved_tensors
        return (grad_loss * gradient).to(ctx.dtype), None, None, None


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    return _CrossEntropy.apply(logits, targets, ignore_index, label_smoothing)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    return _Parts(logits, targets, ignore_index, label_smoothing).gradient().to(logits.dtype)
