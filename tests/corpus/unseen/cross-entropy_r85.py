"""Only the positions that count are ever looked at: they are picked out first, and put back last."""
from __future__ import annotations

import torch
from torch import Tensor


def _picked(logits: Tensor, targets: Tensor, ignore_index: int) -> tuple[Tensor, Tensor, Tensor]:
    keep = targets.ne(ignore_index)
    rows = logits[keep]                       # (count, classes)
    return (rows if rows.dtype is torch.float64 else rows.float()), targets[keep].long(), keep


def _lse(rows: Tensor) -> Tensor:
    """log Σ exp, by folding the classes in halves with logaddexp"""
    while rows.size(-1) > 1:
        half = rows.size(-1) // 2
        folded = torch.logaddexp(rows[:, :half], rows[:, half : 2 * half])
        rows = torch.cat([folded, rows[:, 2 * half :]], dim=-1)
    return rows.squeeze(-1)


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    rows, wanted, _ = _picked(logits, targets, ignore_index)
    lse = _lse(rows)
    hit = rows.gather(1, wanted[:, None]).squeeze(1)
    losses = lse - (1 - label_smoothing) * hit
    if label_smoothing:
        losses = losses - label_smoothing * rows.mean(dim=1)
    return losses.mean().to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    rows, wanted, keep = _picked(logits, targets, ignore_index)
    grad = torch.exp(rows - _lse(rows).unsqueeze(1))
    grad -= label_smoothing / rows.size(1)
    grad.scatter_add_(1, wanted[:, None], torch.full_like(grad[:, :1], label_smoothing - 1))
    grad /= rows.size(0)
    whole = torch.zeros_like(logits)
    return whole.masked_scatter(keep.unsqueeze(-1), grad.to(logits.dtype))
