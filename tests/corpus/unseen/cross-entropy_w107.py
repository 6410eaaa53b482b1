from __future__ import annotations

import torch
from torch import Tensor


def _log_probs(logits: Tensor) -> Tensor:
    shifted = logits - logits.amax(-1, keepdim=True)
    return shifted - shifted.exp().sum(-1, keepdim=True).log()


def _soft_targets(like: Tensor, targets: Tensor, keep: Tensor, smoothing: float) -> Tensor:
    classes = like.shape[-1]
    index = torch.where(keep, targets, torch.zeros_like(targets)).long()
    q = torch.full_like(like, smoothing / max(classes - 1, 1))
    return q.scatter(-1, index.unsqueeze(-1), 1.0 - smoothing)


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    logits = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    keep = targets != ignore_index
    q = _soft_targets(logits, targets, keep, label_smoothing)
    per_position = -(q * _log_probs(logits)).sum(-1)
    return (per_position * keep).sum() / keep.sum()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    logits = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    keep = targets != ignore_index
    q = _soft_targets(logits, targets, keep, label_smoothing)
    return (_log_probs(logits).exp() - q) * keep.unsqueeze(-1) / keep.sum()
