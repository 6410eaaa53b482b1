from __future__ import annotations

import torch
from torch import Tensor


class _MaskedSoftmax(torch.autograd.Function):
    """Shares of what is shown, with the backward pass by hand: p * (g - sum(p * g))."""

    @staticmethod
    def forward(ctx, scores: Tensor, shown: Tensor) -> Tensor:
        low = torch.finfo(scores.dtype).min
        top = scores.masked_fill(shown.logical_not(), low).amax(-1, keepdim=True)
        above = torch.where(shown, scores - top, torch.zeros_like(scores))
        parts = above.exp() * shown
        total = parts.sum(-1, keepdim=True)
        shares = parts / total.masked_fill(total == 0, 1)
        ctx.save_for_backward(shares)
        return shares

    @staticmethod
    def backward(ctx, grad: Tensor):
        (shares,) = ctx.saved_tensors
        weighted = shares * grad
        return weighted - shares * weighted.sum(-1, keepdim=True), None


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    rows = x.movedim(dim, -1)
    return _MaskedSoftmax.apply(rows, torch.ones_like(rows, dtype=torch.bool)).movedim(-1, dim)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    top, _ = x.max(dim=dim, keepdim=True)
    top = top.detach()
    return ((x - top).exp().sum(dim=dim, keepdim=True).log() + top).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return _MaskedSoftmax.apply(scores, mask.bool().broadcast_to(scores.shape))
