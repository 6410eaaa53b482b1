import torch
from torch import Tensor


def biggest(x: Tensor, dim: int = -1) -> Tensor:
    return x.max(dim=dim, keepdim=True).values


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    # shift first, so exp never blows up
    shifted = x - biggest(x)
    e = shifted.exp()
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    m = biggest(x, dim)
    s = (x - m).exp().sum(dim=dim)
    return m.squeeze(dim) + s.log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    mask = mask.bool()
    nothing = (mask.expand_as(scores).sum(-1, keepdim=True) == 0)
    filled = scores.masked_fill(~mask, float("-inf"))
    filled = filled.masked_fill(nothing, 0)
    e = (filled - biggest(filled)).exp()
    w = e / e.sum(dim=-1, keepdim=True)
    return w.masked_fill(nothing, 0)
