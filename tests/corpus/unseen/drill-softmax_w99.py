from __future__ import annotations

import torch
from torch import Tensor


def _stable_exp(x: Tensor, dim: int, shown: Tensor | None = None) -> tuple[Tensor, Tensor]:
    peak = torch.max(x, dim=dim, keepdim=True)[0]
    if shown is None:
        return torch.exp(x - peak), peak
    terms = torch.where(shown, torch.exp(x - peak), torch.zeros_like(x))
    return terms, peak


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    terms, _ = _stable_exp(x, dim)
    return terms / terms.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    terms, peak = _stable_exp(x, dim)
    return torch.log(terms.sum(dim=dim)) + peak.squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    terms, _ = _stable_exp(scores, -1, mask.bool())
    total = terms.sum(dim=-1, keepdim=True)
    return terms / torch.where(total > 0, total, torch.ones_like(total))
