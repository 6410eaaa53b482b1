from __future__ import annotations

import torch
from torch import Tensor


def _log_probs(logits: Tensor) -> Tensor:
    shifted = logits - logits.amax(dim=-1, keepdim=True)
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    log_p = _log_probs(logits)
    counts = targets != ignore_index
    safe = targets.masked_fill(~counts, 0).long()
    nll = -log_p.gather(-1, safe)
    smooth = -log_p.mean(dim=-1)
    loss = (1 - label_smoothing) * nll + label_smoothing * smooth
    return loss[counts].mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counts = targets != ignore_index
    safe = targets.masked_fill(~counts, 0).long()
    classes = logits.shape[-1]
    wanted = torch.full_like(logits, label_smoothing / classes)
    share = torch.full_like(logits[..., :1], 1 - label_smoothing)
    wanted = wanted.scatter_add(-1, safe.unsqueeze(-1), share)
    grad = (_log_probs(logits).exp() - wanted) / counts.sum()
    return grad * counts.unsqueeze(-1)
