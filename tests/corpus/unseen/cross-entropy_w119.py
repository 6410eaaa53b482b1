from __future__ import annotations

import torch
from torch import Tensor


def target_distribution(labels: Tensor, num_classes: int, confidence: float, like: Tensor) -> Tensor:
    rest = (1.0 - confidence) / (num_classes - 1)
    dist = like.new_full((*labels.shape, num_classes), rest)
    dist.scatter_(-1, labels.unsqueeze(-1), confidence)
    return dist


def log_probabilities(logits: Tensor) -> Tensor:
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    shifted = wide - wide.amax(-1, True)
    return shifted - shifted.exp().sum(-1, True).log()


def _setup(logits: Tensor, targets: Tensor, ignore_index: int, label_smoothing: float):
    log_p = log_probabilities(logits)
    real = targets.not_equal(ignore_index)
    labels = targets.where(real, 0).to(torch.int64)
    q = target_distribution(labels, logits.size(-1), 1.0 - label_smoothing, log_p.detach())
    return log_p, q, real


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    log_p, q, real = _setup(logits, targets, ignore_index, label_smoothing)
    per_token = torch.einsum("blc,blc->bl", q, log_p).neg()
    return per_token[real].mean().to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    log_p, q, real = _setup(logits, targets, ignore_index, label_smoothing)
    grad = (log_p.exp() - q) / real.count_nonzero()
    grad[~real] = 0
    return grad.to(logits.dtype)
