from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor


class _Loss:
    def __init__(self, logits, targets, ignore_index, eps):
        self.shape = logits.shape
        self.C = logits.shape[-1]
        self.eps = eps
        self.on = (targets != ignore_index).flatten()
        self.z = logits.flatten(0, 1)[self.on]
        self.t = targets.flatten()[self.on].to(torch.int64)
        self.N = self.t.numel()

    @property
    def log_norm(self):
        return reduce(torch.logaddexp, self.z.unbind(1))

    def value(self):
        hit = self.z.gather(1, self.t[:, None])[:, 0]
        target_score = (1 - self.eps) * hit + self.eps * self.z.sum(1) / self.C
        return (self.log_norm - target_score).sum() / self.N

    def gradient(self):
        p = (self.z - self.log_norm[:, None]).exp()
        q = torch.full_like(p, self.eps / self.C)
        q[range(self.N), self.t] += 1 - self.eps
        out = p.new_zeros(self.on.numel(), self.C)
        out[self.on] = (p - q) / self.N
        return out.view(self.shape)


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    up = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    return _Loss(up, targets, ignore_index, label_smoothing).value().to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    up = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    return _Loss(up, targets, ignore_index, label_smoothing).gradient().to(logits.dtype)
