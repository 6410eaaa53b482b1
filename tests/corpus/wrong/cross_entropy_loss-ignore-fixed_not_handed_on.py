# wrong: cross-entropy loss-ignore-fixed line 58
from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Prepared(NamedTuple):
    """Everything that both directions need."""

    log_probs: Tensor  # (B, T, C), at least float32
    target_probs: Tensor  # (B, T, C)
    valid: Tensor  # (B, T), bool
    count: Tensor  # scalar


def _prepare(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Prepared:
    assert logits.dim() == 3, "logits must be (batch, length, classes)"
    assert targets.shape == logits.shape[:2], "targets must be (batch, length)"

    # ---- log softmax -------------------------------------------------------
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    centred = wide - wide.amax(dim=-1, keepdim=True).detach()
    log_probs = centred - centred.exp().sum(dim=-1, keepdim=True).log()

    # ---- which positions count ---------------------------------------------
    valid = targets != ignore_index
    count = valid.sum()

    # ---- smoothed targets --------------------------------------------------
    classes = logits.shape[-1]
    in_range = valid & (targets >= 0) & (targets < classes)
    safe_targets = torch.where(in_range, targets, torch.zeros_like(targets)).long()
    target_probs = torch.full_like(log_probs, label_smoothing / classes).detach()
    confidence = torch.full_like(target_probs[..., :1], 1.0 - label_smoothing)
    target_probs = target_probs.scatter_add(-1, safe_targets.unsqueeze(-1), confidence)

    return Prepared(log_probs, target_probs, valid, count)


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    prepared = _prepare(logits, targets, ignore_index, label_smoothing)
    per_position = -(prepared.target_probs * prepared.log_probs).sum(dim=-1)
    per_position = torch.where(prepared.valid, per_position, torch.zeros_like(per_position))
    return (per_position.sum() / prepared.count).to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    prepared = _prepare(logits, targets, label_smoothing=label_smoothing)
    gradient = (prepared.log_probs.exp() - prepared.target_probs) / prepared.count
    gradient = torch.where(prepared.valid.unsqueeze(-1), gradient, torch.zeros_like(gradient))
    return gradient.to(logits.dtype)
