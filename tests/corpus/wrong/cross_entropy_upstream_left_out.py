# wrong: cross-entropy backward-wrong line 37
# fair: backward-wrong 35 36 37
from __future__ import annotations

import torch
from torch import Tensor


def _loss_and_grad(z: Tensor, y: Tensor, ignore_index: int, eps: float) -> tuple[Tensor, Tensor]:
    """Fused, as in the vocab-parallel kernel: one pass over the classes gives both."""
    z = z.to(torch.promote_types(z.dtype, torch.float32))
    c = z.shape[-1]
    live = y != ignore_index
    n = live.sum()

    z = z - z.max(-1, keepdim=True).values
    e = z.exp()
    total = e.sum(-1, keepdim=True)
    logp = z - total.log()

    q = torch.nn.functional.one_hot(torch.where(live, y, 0).long(), c).to(z.dtype)
    q = (1 - eps) * q + eps / c
    loss = -torch.einsum("btc,btc,bt->", q, logp, live.to(z.dtype)) / n
    return loss, (e / total - q) * live[..., None] / n


class _CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits: Tensor, targets: Tensor, ignore_index: int, eps: float) -> Tensor:
        loss, grad = _loss_and_grad(logits, targets, ignore_index, eps)
        ctx.save_for_backward(grad.to(logits.dtype))
        return loss

    @staticmethod
    def backward(ctx, grad_loss: Tensor):
        (grad,) = ctx.saved_tensors
        return grad, None, None, None


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    return _CrossEntropy.apply(logits, targets, ignore_index, label_smoothing)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    return _loss_and_grad(logits, targets, ignore_index, label_smoothing)[1].to(logits.dtype)
