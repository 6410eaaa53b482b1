from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Kept(NamedTuple):
    """What counts, flattened."""

    where: Tensor  # (batch, length) bool
    rows: Tensor  # (count, classes), at least float32
    wanted: Tensor  # (count, 1)


def _select(logits: Tensor, targets: Tensor, ignore_index: int) -> Kept:
    where = targets != ignore_index
    wide = torch.promote_types(logits.dtype, torch.float32)
    return Kept(where, logits[where].to(wide), targets[where].long().unsqueeze(-1))


def _log_p(rows: Tensor) -> Tensor:
    rows = rows - rows.amax(-1, keepdim=True)
    return rows - rows.exp().sum(-1, keepdim=True).log()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    kept = _select(logits, targets, ignore_index)
    log_p = _log_p(kept.rows)
    hit = log_p.gather(-1, kept.wanted).squeeze(-1)
    each = (1 - label_smoothing) * hit + label_smoothing * log_p.mean(-1)
    return -each.mean().to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    with torch.no_grad():
        kept = _select(logits, targets, ignore_index)
        count, classes = kept.rows.shape
        diff = _log_p(kept.rows).exp() - label_smoothing / classes
        taken = torch.full_like(kept.wanted, 1, dtype=diff.dtype) * (1 - label_smoothing)
        diff = diff.scatter_add(-1, kept.wanted, -taken) / count
        grad = torch.zeros_like(logits)
        grad[kept.where] = diff.to(logits.dtype)
        return grad
