from __future__ import annotations

import torch
from torch import Tensor

CHUNK = 256


def lse(rows: Tensor) -> Tensor:
    top = rows.max(dim=1).values
    return top + torch.log(torch.exp(rows - top[:, None]).sum(dim=1))


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    keep = targets.reshape(-1) != ignore_index
    rows = logits.reshape(-1, logits.shape[-1])[keep]
    labels = targets.reshape(-1)[keep].long()
    picked = rows[torch.arange(len(labels), device=rows.device), labels]
    mixed = (1 - label_smoothing) * picked + label_smoothing * rows.mean(dim=1)
    return (lse(rows) - mixed).mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    classes = logits.shape[-1]
    rows = logits.reshape(-1, classes)
    labels = targets.reshape(-1).long()
    counts = labels != ignore_index
    total = int(counts.sum())
    grad = torch.zeros_like(rows)
    n_chunks = max(1, rows.shape[0] // CHUNK)
    for c in range(n_chunks):
        part = slice(c * CHUNK, (c + 1) * CHUNK)
        x, y, on = rows[part], labels[part], counts[part]
        g = torch.exp(x - lse(x)[:, None]) - label_smoothing / classes
        idx = torch.nonzero(on).squeeze(1)
        g[idx, y[idx]] -= 1 - label_smoothing
        grad[part] = torch.where(on[:, None], g / total, torch.zeros_like(g))
    return grad.view_as(logits)
