from __future__ import annotations

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    shifted = x - torch.amax(x, dim=dim, keepdim=True)
    numerator = shifted.exp()
    denominator = numerator.sum(-1, keepdim=True)
    return numerator / denominator


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    m = torch.amax(x, dim=dim)
    return m + (x - m.unsqueeze(dim)).exp().sum(dim).log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    visible = mask.bool() & torch.ones_like(scores, dtype=torch.bool)
    empty = visible.logical_not().all(dim=-1, keepdim=True)
    filled = torch.where(visible | empty, scores, float("-inf"))
    shifted = filled - filled.amax(dim=-1, keepdim=True)
    e = shifted.exp()
    weights = e / e.sum(dim=-1, keepdim=True)
    return torch.where(empty, torch.zeros_like(weights), weights)
