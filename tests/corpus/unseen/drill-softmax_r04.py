from __future__ import annotations

import torch
from torch import Tensor


def _upcast(t: Tensor) -> Tensor:
    return t if t.dtype == torch.float64 else t.to(torch.float32)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    y = _upcast(x)
    peak, _ = y.max(dim)
    total = torch.exp(y - peak.unsqueeze(dim)).sum(dim)
    return (peak + torch.log(total)).to(x.dtype)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    # exp(x - lse(x)); the log-sum-exp in the wide dtype, so that half does not lose digits
    y = _upcast(x)
    return torch.exp(y - log_sum_exp(y, dim).unsqueeze(dim)).to(x.dtype)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = mask == 0
    low = torch.finfo(scores.dtype).min
    # a row that is hidden as a whole becomes uniform here, and 0 by the last line
    weights = softmax(torch.where(hidden, low, scores))
    return torch.where(hidden, torch.zeros_like(weights), weights)
