# attn-kata: drill-softmax
from __future__ import annotations

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e = (x - x.amax(dim, keepdim=True).detach()).exp()
    return e / e.sum(dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    m = x.amax(dim, keepdim=True).detach()
    return m.squeeze(dim) + (x - m).exp().sum(dim).log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    s = scores.masked_fill(mask == 0, -torch.inf)
    m = s.amax(-1, keepdim=True).detach()
    e = (s - m.masked_fill(m == -torch.inf, 0)).exp()
    z = e.sum(-1, keepdim=True)
    return e / z.masked_fill(z == 0, 1)
