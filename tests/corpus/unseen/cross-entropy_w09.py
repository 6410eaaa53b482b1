"""Cross-entropy, functional and typed.

`max_` is subtracted before every exponential; the loss does not depend on it.
"""
from typing import NamedTuple

import torch
from torch import Tensor


class Softmaxed(NamedTuple):
    log_p: Tensor
    p: Tensor


def softmaxed(logits: Tensor) -> Softmaxed:
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    shifted = wide - wide.max()
    total = shifted.exp().sum(-1, keepdim=True)
    return Softmaxed(shifted - total.log(), shifted.exp() / total)


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    log_p, _ = softmaxed(logits)
    mask = targets != ignore_index
    idx = targets.masked_fill(~mask, 0).long()[..., None]
    picked = torch.gather(log_p, dim=-1, index=idx)[..., 0]
    uniform = log_p.mean(-1)
    losses = -((1 - label_smoothing) * picked + label_smoothing * uniform)
    return (losses[mask].sum() / mask.sum()).to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    _, p = softmaxed(logits.detach())
    n_classes = logits.shape[-1]
    mask = targets != ignore_index
    idx = targets.masked_fill(~mask, 0).long()
    q = (torch.arange(n_classes, device=logits.device) == idx[..., None]).to(p.dtype)
    q = (1 - label_smoothing) * q + label_smoothing / n_classes
    grad = torch.where(mask[..., None], p - q, torch.zeros_like(p)) / mask.sum()
    return grad.to(logits.dtype)
