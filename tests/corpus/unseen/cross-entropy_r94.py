from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor


@dataclass
class Counted:
    """Only the positions that count, one row each."""

    where: Tensor  # (batch, length), bool
    log_probs: Tensor  # (rows, classes)
    wanted: Tensor  # (rows, classes)

    @property
    def rows(self) -> int:
        return self.wanted.shape[0]


def _collect(logits: Tensor, targets: Tensor, ignore_index: int, smoothing: float) -> Counted:
    classes = logits.shape[-1]
    where = targets != ignore_index
    picked = logits[where].to(torch.promote_types(logits.dtype, torch.float32))
    shifted = picked - picked.max(dim=1, keepdim=True).values
    log_probs = shifted - shifted.exp().sum(dim=1, keepdim=True).log()
    hard = F.one_hot(targets[where].long(), classes).to(picked.dtype)
    return Counted(where, log_probs, torch.lerp(hard, torch.full_like(hard, 1 / classes), smoothing))


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    with nullcontext(_collect(logits, targets, ignore_index, label_smoothing)) as c:
        return ((c.wanted * c.log_probs).sum() / -c.rows).to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    with nullcontext(_collect(logits, targets, ignore_index, label_smoothing)) as c:
        grad = torch.zeros_like(logits)
        grad[c.where] = ((c.log_probs.exp() - c.wanted) / c.rows).to(logits.dtype)
        return grad
