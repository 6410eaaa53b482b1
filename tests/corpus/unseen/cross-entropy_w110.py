from __future__ import annotations

import torch
from torch import Tensor


class TokenLoss:
    """Softmax cross-entropy over the positions whose target counts."""

    def __init__(self, logits: Tensor, targets: Tensor, ignore: int, eps: float) -> None:
        half = logits.dtype in (torch.bfloat16, torch.float16)
        self.dtype = logits.dtype
        self.x = logits.float() if half else logits
        self.counts = targets.ne(ignore)
        self.t = torch.where(self.counts, targets, 0).long().unsqueeze(-1)
        self.eps = eps
        self.shifted = self.x - self.x.amax(dim=-1, keepdim=True)

    @property
    def log_z(self) -> Tensor:
        return self.shifted.exp().sum(-1).log()

    @property
    def n(self) -> Tensor:
        return self.counts.sum()

    def forward(self) -> Tensor:
        log_z = self.log_z
        at_target = log_z - self.x.gather(-1, self.t).squeeze(-1)
        at_all = log_z - self.shifted.mean(-1)
        per_token = torch.lerp(at_target, at_all, self.eps)
        return torch.where(self.counts, per_token, 0.0).sum() / self.n

    def backward(self) -> Tensor:
        p = (self.shifted - self.log_z.unsqueeze(-1)).exp()
        q = torch.full_like(p, self.eps / p.size(-1))
        q.scatter_add_(-1, self.t, torch.full_like(p[..., :1], 1 - self.eps))
        return ((p - q) * self.counts.unsqueeze(-1) / self.n).to(self.dtype)


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    return TokenLoss(logits, targets, ignore_index, label_smoothing).forward()


@torch.no_grad()
def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    return TokenLoss(logits, targets, ignore_index, label_smoothing).backward()
