from __future__ import annotations

import torch
from torch import Tensor


def log_probabilities(rows: Tensor) -> Tensor:
    top = rows.max(dim=1, keepdim=True).values
    shifted = rows - top
    total = shifted.exp().sum(dim=1, keepdim=True)
    return shifted - total.log()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counted = targets != ignore_index
    rows = log_probabilities(logits[counted])
    wanted = targets[counted].long()
    picked = rows[torch.arange(len(rows), device=rows.device), wanted]
    uniform = rows.mean(dim=1)
    losses = -(1 - label_smoothing) * picked - label_smoothing * uniform
    return losses.mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counted = targets != ignore_index
    probs = log_probabilities(logits[counted]).exp()
    wanted = targets[counted].long()
    share = label_smoothing / probs.shape[1]
    probs = probs - share
    places = torch.arange(len(probs), device=probs.device)
    probs[places, wanted] -= 1 - label_smoothing
    grad = torch.zeros_like(logits)
    grad[counted] = probs / len(probs)
    return grad
