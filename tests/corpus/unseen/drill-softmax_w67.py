from __future__ import annotations

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e = (x - x.amax(dim, True)).exp_()
    return e / e.sum(dim, True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    m = x.amax(dim, True)
    return x.sub(m).exp().sum(dim).log() + m.squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    bias = torch.zeros_like(scores).masked_fill_(mask == 0, float("-inf"))
    # an empty row comes out as 0/0 and is set to 0
    return softmax(scores + bias).nan_to_num(0.0)
