from __future__ import annotations

from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    z = x - x.amax(dim=dim, keepdim=True)
    num = z.exp()
    return num / num.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    top = x.amax(dim=dim, keepdim=True)
    return top.squeeze(dim) + (x - top).exp().sum(dim=dim).log()


def _apply_mask(weights: Tensor, mask: Tensor) -> Tensor:
    return weights * mask.to(weights.dtype)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    weights = softmax(scores, dim=-1)
    return _apply_mask(weights, mask)
