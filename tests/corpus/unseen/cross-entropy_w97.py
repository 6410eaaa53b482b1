from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import one_hot


def _pieces(logits, targets, ignore_index, eps):
    n_classes = logits.shape[-1]
    counted = targets.ne(ignore_index)
    hot = one_hot(targets.long().masked_fill(~counted, 0), n_classes).to(logits.dtype)
    q = (1 - eps) * hot + eps / n_classes
    shifted = logits - logits.max(-1, keepdim=True).values
    log_p = shifted - shifted.exp().sum(-1, keepdim=True).log()
    return counted, q, log_p


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counted, q, log_p = _pieces(logits, targets, ignore_index, label_smoothing)
    each = -(q * log_p).sum(-1) * counted
    per_sample = each.sum(1) / counted.sum(1).clamp(min=1)
    return per_sample[counted.any(1)].mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counted, q, log_p = _pieces(logits, targets, ignore_index, label_smoothing)
    gradient = (log_p.exp() - q) / counted.sum()
    return gradient.masked_fill(~counted[..., None], 0)
