# attn-kata: cross-entropy
# Streams over positions in fixed chunks; nothing of (batch * length, classes) is copied in one piece.
from __future__ import annotations

from typing import Iterator

import torch
from torch import Tensor

CHUNK = 128


def _chunks(logits: Tensor, targets: Tensor, ignore_index: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    wide = torch.float64 if logits.dtype == torch.float64 else torch.float32
    flat = logits.reshape(-1, logits.size(-1))
    want = targets.reshape(-1).long()
    live = (want != ignore_index).nonzero().squeeze(1)
    for part in live.split(CHUNK):
        yield part, flat[part].to(wide), want[part]


def _log_probs(z: Tensor) -> Tensor:
    z = z - z.max(dim=1, keepdim=True).values
    return z - z.exp().sum(dim=1, keepdim=True).log()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    total, n = 0.0, 0
    for part, z, want in _chunks(logits, targets, ignore_index):
        lp = _log_probs(z)
        hit = lp[torch.arange(len(want), device=lp.device), want]
        total = total - ((1.0 - label_smoothing) * hit + label_smoothing * lp.mean(dim=1)).sum()
        n += len(part)
    return (total / n).to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    classes = logits.size(-1)
    grad = torch.zeros(targets.numel(), classes, dtype=logits.dtype, device=logits.device)
    n = int((targets != ignore_index).sum())
    for part, z, want in _chunks(logits, targets, ignore_index):
        g = _log_probs(z).exp() - label_smoothing / classes
        g[torch.arange(len(want), device=g.device), want] -= 1.0 - label_smoothing
        grad[part] = (g / n).to(grad.dtype)
    return grad.view_as(logits)
