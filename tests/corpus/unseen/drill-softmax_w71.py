from __future__ import annotations

import torch
from torch import Tensor


def _shifted_exp(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    maximum = x.max(dim=dim, keepdim=True).values
    return torch.exp(x - maximum), maximum


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """Numerically stable softmax along ``dim``."""
    exponentials, _ = _shifted_exp(x, dim)
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    """Numerically stable ``log(sum(exp(x)))`` along ``dim``."""
    exponentials, maximum = _shifted_exp(x, dim)
    return maximum.squeeze(dim) + exponentials.sum(dim=dim).log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the keys that ``mask`` shows, zeros for a query that is shown none."""
    bias = torch.zeros_like(mask, dtype=scores.dtype)
    bias = bias.masked_fill(mask == 0, float("-inf"))
    return torch.nan_to_num(softmax(scores + bias), nan=0.0)
