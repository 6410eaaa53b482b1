from __future__ import annotations

import torch
from torch import Tensor


def _shift(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    top = x.max(dim=dim, keepdim=True).values
    return x - top, top


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    moved, top = _shift(x, dim)
    # log1p of the others: the largest is exp(0) = 1, and is taken off the sum
    return (top + torch.log1p(torch.exp(moved).sum(dim, keepdim=True) - 1)).squeeze(dim)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    moved, _ = _shift(x, dim)
    return torch.exp(moved - log_sum_exp(moved, dim).unsqueeze(dim))


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    seen = (mask > 0 if mask.dtype != torch.bool else mask).expand(scores.shape)
    some = seen.any(dim=-1, keepdim=True)
    # rows without anything are swapped for rows that see all, and blanked at the end
    usable = scores.masked_fill(~seen & some, float("-inf"))
    return softmax(usable).masked_fill(~some, 0)
