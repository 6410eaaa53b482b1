"""Everything by way of the log-sum-exp."""

import torch
from torch import Tensor


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    peak = x.detach().amax(dim, keepdim=True)
    peak = torch.where(peak.isinf(), torch.zeros_like(peak), peak)
    return (x - peak).exp().sum(dim, keepdim=True).log().add(peak).squeeze(dim)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    return (x - log_sum_exp(x, dim).unsqueeze(dim)).exp()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    gone = mask == 0
    empty = gone.expand(scores.shape).all(-1, keepdim=True)
    open_rows = scores.masked_fill(gone & ~empty, float("-inf"))
    return softmax(open_rows).masked_fill(empty, 0.0)
