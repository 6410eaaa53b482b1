import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e = (x - x.amax(dim=dim, keepdim=True)).exp()
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    peak = x.max()
    return peak + torch.log(torch.exp(x - peak).sum(dim=dim))


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    visible = mask.bool()
    filled = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
    e = (filled - filled.amax(dim=-1, keepdim=True)).exp().masked_fill(~visible, 0)
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total == 0, torch.ones_like(total), total)
