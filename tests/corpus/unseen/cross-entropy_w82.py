from __future__ import annotations

import torch
from torch import Tensor


def _log_p(logits: Tensor) -> Tensor:
    shifted = logits - logits.amax(dim=-1, keepdim=True)
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def _prepare(targets: Tensor, ignore_index: int) -> tuple[Tensor, Tensor]:
    """Which positions count, and targets that can be looked up everywhere."""
    counts = targets != ignore_index
    return counts, targets.clamp(min=0)


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counts, classes = _prepare(targets, ignore_index)
    log_p = _log_p(logits)
    picked = log_p.gather(-1, classes.long().unsqueeze(-1)).squeeze(-1)
    per_position = -(1 - label_smoothing) * picked - label_smoothing * log_p.mean(dim=-1)
    return torch.where(counts, per_position, 0.0).sum() / counts.sum()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counts, classes = _prepare(targets, ignore_index)
    num_classes = logits.shape[-1]
    q = torch.full_like(logits, label_smoothing / num_classes)
    ones = torch.full_like(logits[..., :1], 1 - label_smoothing)
    q = q.scatter_add(-1, classes.long().unsqueeze(-1), ones)
    grad = (_log_p(logits).exp() - q) / counts.sum()
    return grad * counts.unsqueeze(-1)
