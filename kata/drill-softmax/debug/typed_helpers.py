from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor

EPS_FREE = True


def _shift(x: Tensor, dim: int, floor: Optional[float] = None) -> tuple[Tensor, Tensor]:
    m = x.amax(dim=dim, keepdim=True)
    if floor is not None:
        m = m.clamp(min=floor)
    return x - m, m


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    shifted, _ = _shift(x, dim)
    num = torch.exp(shifted)
    return torch.div(num, num.sum(dim=dim, keepdim=True))


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    shifted, m = _shift(x, dim)
    return torch.log(torch.exp(shifted).sum(dim=dim)) + m.squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = scores.masked_fill(mask.eq(0), -torch.inf)
    shifted, _ = _shift(hidden, -1, torch.finfo(scores.dtype).min)
    num = shifted.exp()
    den = num.sum(-1, keepdim=True)
    return num / torch.where(den == 0, torch.ones_like(den), den)
