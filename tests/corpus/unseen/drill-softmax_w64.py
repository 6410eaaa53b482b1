from __future__ import annotations

import torch
from torch import Tensor


def _exp_shifted(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    m = x.amax(dim, keepdim=True)
    return torch.exp(x - m), m


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e, _ = _exp_shifted(x, dim)
    return e.div(e.sum(dim, keepdim=True))


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    e, m = _exp_shifted(x, dim)
    return m.select(dim, 0) + e.sum(dim).log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    e, _ = _exp_shifted(scores, -1)
    e = torch.where(mask.bool(), e, torch.zeros_like(e))
    total = e.sum(-1, keepdim=True)
    safe = torch.where(total > 0, total, torch.ones_like(total))
    return e.div(safe)
