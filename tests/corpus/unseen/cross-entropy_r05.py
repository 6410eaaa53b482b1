from __future__ import annotations

import torch
from torch import Tensor


def _log_probs(logits: Tensor) -> Tensor:
    z = logits if logits.dtype == torch.float64 else logits.float()
    z = z - z.max(dim=-1, keepdim=True).values.detach()
    return z - torch.log(torch.exp(z).sum(dim=-1, keepdim=True))


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    logp = _log_probs(logits)
    counts = targets != ignore_index
    safe = torch.where(counts, targets, 0).long()
    hit = logp.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    loss = -(1 - label_smoothing) * hit - label_smoothing * logp.mean(dim=-1)
    loss = loss.masked_fill(~counts, 0.0)
    return (loss.sum() / counts.sum()).to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    classes = logits.shape[-1]
    grad = _log_probs(logits.detach()).exp()
    counts = targets != ignore_index
    safe = torch.where(counts, targets, 0).long().unsqueeze(-1)
    grad = grad - label_smoothing / classes
    grad = grad.scatter_add(-1, safe, torch.full_like(safe, label_smoothing - 1, dtype=grad.dtype))
    grad = grad * counts.unsqueeze(-1) / counts.sum()
    return grad.to(logits.dtype)
