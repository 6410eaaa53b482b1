from __future__ import annotations

import torch
from torch import Tensor

# numerically safe versions, see the cs231n notes


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    maxes = torch.amax(x, dim=dim, keepdim=True)
    exps = torch.exp(x - maxes)
    sums = torch.sum(exps, dim=dim, keepdim=True)
    probs = exps / sums
    return probs


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    maxes = torch.amax(x, dim=dim, keepdim=True)
    exps = torch.exp(x - maxes)
    sums = torch.sum(exps, dim=dim)
    return maxes.squeeze() + torch.log(sums)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    on = mask.to(scores.device) > 0
    # hidden entries do not even enter the maximum
    lowest = torch.finfo(scores.dtype).min
    kept = torch.where(on, scores, torch.full_like(scores, lowest))
    maxes = torch.amax(kept, dim=-1, keepdim=True)
    exps = torch.exp(kept - maxes) * on
    sums = torch.sum(exps, dim=-1, keepdim=True)
    probs = exps / torch.where(sums > 0, sums, torch.ones_like(sums))
    return probs
