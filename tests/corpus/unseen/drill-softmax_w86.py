# attn-kata: drill-softmax
from __future__ import annotations

import torch
from torch import Tensor


def _exp_shifted(x: Tensor, dim: int) -> Tensor:
    """exp(x - max), never above 1"""
    return torch.exp(x - x.amax(dim=dim, keepdim=True))


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e = _exp_shifted(x, dim)
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    return _exp_shifted(x, dim).sum(dim=dim).log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    keep = torch.broadcast_to(mask != 0, scores.shape)
    filled = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    weights = softmax(filled)
    return weights.masked_fill(~keep, 0.0)
