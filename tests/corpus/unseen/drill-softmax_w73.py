# Softmax von Hand
from __future__ import annotations

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    spitze = x.amax(dim=dim, keepdim=True)
    e = torch.exp(x - spitze)
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    spitze = x.amax(dim=dim, keepdim=True)
    summe = torch.exp(x - spitze).sum(dim=dim)
    return spitze.squeeze() + summe.log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    zaehlt = mask != 0
    tief = torch.finfo(scores.dtype).min
    gezeigt = torch.where(zaehlt, scores, torch.full_like(scores, tief))
    e = torch.exp(gezeigt - gezeigt.amax(dim=-1, keepdim=True))
    e = torch.where(zaehlt, e, torch.zeros_like(e))
    summe = e.sum(dim=-1, keepdim=True)
    return e / summe.clamp(min=torch.finfo(scores.dtype).tiny)
