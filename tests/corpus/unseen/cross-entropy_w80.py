from __future__ import annotations

import torch
from torch import Tensor


def _smooth(targets: Tensor, classes: int, eps: float, dtype: torch.dtype) -> Tensor:
    """The distribution that each position is held against."""
    q = torch.full((*targets.shape, classes), eps / (classes - 1), dtype=dtype, device=targets.device)
    return q.scatter_(-1, targets.unsqueeze(-1), 1.0 - eps)


def _prepare(logits: Tensor, targets: Tensor, ignore_index: int):
    z = logits.to(torch.promote_types(logits.dtype, torch.float32))
    z = z - z.amax(dim=-1, keepdim=True)
    counted = targets.ne(ignore_index)
    return z, counted, torch.where(counted, targets, torch.zeros_like(targets))


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    z, counted, labels = _prepare(logits, targets, ignore_index)
    log_p = z - z.exp().sum(-1, keepdim=True).log()
    q = _smooth(labels, z.shape[-1], label_smoothing, z.dtype)
    return -((q * log_p).sum(-1) * counted).sum() / counted.sum()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    z, counted, labels = _prepare(logits, targets, ignore_index)
    e = z.exp()
    p = e / e.sum(-1, keepdim=True)
    q = _smooth(labels, z.shape[-1], label_smoothing, z.dtype)
    return torch.where(counted[..., None], p - q, 0.0) / counted.sum()
