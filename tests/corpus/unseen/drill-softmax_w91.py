from __future__ import annotations

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.max())
    return e / e.sum(dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    m = x.amax(dim)
    return m + torch.exp(x - m.unsqueeze(dim)).sum(dim).log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    mask = mask.bool()
    hidden = scores.masked_fill(~mask, -torch.inf)
    m = hidden.amax(-1, keepdim=True)
    m = torch.where(torch.isneginf(m), 0, m)
    e = torch.exp(hidden - m)
    z = e.sum(-1, keepdim=True)
    return e / torch.where(z > 0, z, 1)
