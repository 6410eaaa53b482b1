from __future__ import annotations

import torch
from torch import Tensor


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    """log(sum(exp(x))) along dim, with the maximum taken out first."""
    m = x.amax(dim, keepdim=True)
    return (m + (x - m).exp().sum(dim, keepdim=True).log()).squeeze(dim)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """exp(x - lse): the division becomes a subtraction."""
    return torch.exp(x - log_sum_exp(x, dim).unsqueeze(dim))


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    keep = (mask != 0).expand_as(scores)
    filled = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    m = filled.amax(-1, keepdim=True)
    e = torch.exp(filled - m) * keep
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0, torch.ones_like(total), total)
