# attn-kata: cross-entropy
from __future__ import annotations

import torch
from torch import Tensor


def _log_probabilities(logits: Tensor) -> Tensor:
    """log softmax over the last axis, in float32 at least; never the log of a rounded-off 0."""
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    highest = wide.amax(dim=-1, keepdim=True).detach()
    shifted = wide - highest
    log_total = torch.log(torch.exp(shifted).sum(dim=-1, keepdim=True))
    return shifted - log_total


def _target_distribution(targets: Tensor, classes: int, label_smoothing: float) -> Tensor:
    one_hot = torch.nn.functional.one_hot(targets.long(), classes).to(torch.float64)
    return (1.0 - label_smoothing) * one_hot + label_smoothing / classes


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    classes = logits.shape[-1]
    counts = targets != ignore_index  # (batch, length)

    # keep the positions that count, as one long list
    log_p = _log_probabilities(logits[counts])  # (number, classes)
    q = _target_distribution(targets[counts], classes, label_smoothing).to(log_p.dtype)

    losses = -(q * log_p).sum(dim=-1)
    return losses.mean().to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    classes = logits.shape[-1]
    counts = targets != ignore_index

    p = torch.exp(_log_probabilities(logits[counts]))
    q = _target_distribution(targets[counts], classes, label_smoothing).to(p.dtype)

    gradient = torch.zeros_like(logits)
    gradient[counts] = ((p - q) / p.shape[0]).to(logits.dtype)
    return gradient
