from __future__ import annotations

import torch
from torch import Tensor


def _log_probs(logits: Tensor) -> Tensor:
    shifted = logits - logits.amax(dim=-1, keepdim=True).detach()
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def _picked(log_p: Tensor, targets: Tensor, counts: Tensor) -> Tensor:
    safe = targets.long().masked_fill(~counts, 0)
    return log_p.gather(-1, safe.unsqueeze(-1)).squeeze(-1)


def _average(losses: Tensor, counts: Tensor) -> Tensor:
    losses = losses.masked_fill(~counts, 0)
    per_row = losses.sum(dim=1) / counts.sum(dim=1).clamp(min=1)
    return per_row.mean()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counts = targets != ignore_index
    log_p = _log_probs(logits)
    hard = -_picked(log_p, targets, counts)
    soft = -log_p.mean(dim=-1)
    return _average((1 - label_smoothing) * hard + label_smoothing * soft, counts)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counts = targets != ignore_index
    classes = logits.shape[-1]
    share = torch.full_like(logits, label_smoothing / classes)
    safe = targets.long().masked_fill(~counts, 0).unsqueeze(-1)
    share.scatter_add_(-1, safe, torch.full_like(share[..., :1], 1 - label_smoothing))
    grad = (_log_probs(logits).exp() - share) / counts.sum()
    return grad.masked_fill(~counts.unsqueeze(-1), 0)
