from __future__ import annotations

import torch
from torch import Tensor


def _log_softmax(x: Tensor) -> Tensor:
    shifted = x - x.max(-1, keepdim=True).values
    return shifted - torch.log(torch.exp(shifted).sum(-1, keepdim=True))


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    lp = _log_softmax(logits.float() if logits.dtype != torch.float64 else logits)
    # negative targets are padding
    keep = targets >= 0
    picked = lp.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    loss = -(1 - label_smoothing) * picked - label_smoothing * lp.mean(-1)
    return (loss[keep].sum() / keep.sum()).to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    lp = _log_softmax(logits.float() if logits.dtype != torch.float64 else logits)
    keep = targets != ignore_index
    index = targets.masked_fill(~keep, 0).unsqueeze(-1)
    grad = lp.exp() - label_smoothing / logits.size(-1)
    grad = grad.scatter_add(-1, index, torch.full_like(grad[..., :1], label_smoothing - 1))
    grad = grad * keep.unsqueeze(-1) / keep.sum()
    return grad.to(logits.dtype)
