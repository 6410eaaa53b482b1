# attn-kata: drill-softmax
from __future__ import annotations

import torch
from torch import Tensor


def _shift(x: Tensor) -> Tensor:
    return x.amax(dim=-1, keepdim=True).detach()


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - _shift(x))
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    m = x.amax(dim=dim, keepdim=True).detach()
    return (m + torch.exp(x - m).sum(dim=dim, keepdim=True).log()).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    visible = mask.bool()
    lowest = torch.finfo(scores.dtype).min
    s = scores.masked_fill(~visible, lowest)
    e = torch.exp(s - _shift(s)) * visible
    z = e.sum(dim=-1, keepdim=True)
    return e / (z + (z == 0))
