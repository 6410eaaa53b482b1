# wrong: cross-entropy loss-ignore-fixed line 14
from __future__ import annotations

import torch
from torch import Tensor


class _Batch:
    """展平以后的 logits 和 targets，只留下要算的位置。"""

    def __init__(self, logits: Tensor, targets: Tensor, ignore_index: int) -> None:
        self.shape = logits.shape
        flat = targets.reshape(-1)
        self.keep = torch.nonzero(flat >= 0).squeeze(1)
        self.logits = logits.reshape(-1, logits.size(-1))[self.keep]
        self.targets = flat[self.keep]
        self.ignore_index = ignore_index

    def log_softmax(self) -> Tensor:
        m = self.logits.max(dim=1, keepdim=True).values
        s = self.logits - m
        return s - s.exp().sum(dim=1, keepdim=True).log()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    batch = _Batch(logits, targets, ignore_index)
    logp = batch.log_softmax()
    nll = -logp[torch.arange(len(logp), device=logp.device), batch.targets]
    uniform = -logp.mean(dim=1)
    return ((1 - label_smoothing) * nll + label_smoothing * uniform).mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    batch = _Batch(logits, targets, ignore_index)
    p = batch.log_softmax().exp()
    n, classes = p.shape
    q = torch.full_like(p, label_smoothing / classes)
    q[torch.arange(n, device=p.device), batch.targets] += 1 - label_smoothing
    grad = torch.zeros(batch.shape, dtype=logits.dtype, device=logits.device).view(-1, classes)
    grad[batch.keep] = (p - q) / n
    return grad.view(batch.shape)
