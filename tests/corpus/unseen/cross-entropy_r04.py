from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


class _Problem:
    """What both passes need, worked out once: distribution to hit, log p, who counts."""

    def __init__(self, logits: Tensor, targets: Tensor, ignore_index: int, smoothing: float) -> None:
        classes = logits.shape[-1]
        self.dtype = logits.dtype
        x = logits if logits.dtype is torch.float64 else logits.float()
        self.counts = targets.ne(ignore_index)
        self.number = self.counts.sum()
        hot = F.one_hot(targets.long().masked_fill(~self.counts, 0), classes).to(x.dtype)
        self.wanted = hot * (1.0 - smoothing) + smoothing / classes
        top = x.max(dim=-1, keepdim=True).values.detach()
        self.log_p = x - (top + torch.log(torch.exp(x - top).sum(dim=-1, keepdim=True)))

    def loss(self) -> Tensor:
        each = -(self.wanted * self.log_p).sum(dim=-1)
        each = torch.where(self.counts, each, torch.zeros_like(each))
        return (each.sum() / self.number).to(self.dtype)

    def gradient(self) -> Tensor:
        g = (self.log_p.exp() - self.wanted) / self.number
        return g.masked_fill(~self.counts[..., None], 0.0).to(self.dtype)


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    return _Problem(logits, targets, ignore_index, label_smoothing).loss()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    return _Problem(logits, targets, ignore_index, label_smoothing).gradient()
