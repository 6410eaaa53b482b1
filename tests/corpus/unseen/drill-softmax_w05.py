from __future__ import annotations

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    shifted = x.sub(x.amax(dim=dim, keepdim=True))
    return shifted.exp().div(shifted.exp().sum(dim=dim, keepdim=True))


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    highest = x.amax(dim=dim, keepdim=True)
    rest = x.sub(highest).exp().sum(dim=dim).log()
    return highest.squeeze() + rest


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    visible = mask.to(torch.bool)
    filled = torch.where(visible, scores, torch.full_like(scores, torch.finfo(scores.dtype).min))
    shares = softmax(filled, dim=-1)
    return shares * visible.any(dim=-1, keepdim=True)
