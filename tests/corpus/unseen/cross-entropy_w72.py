# attn-kata: cross-entropy
from __future__ import annotations

import torch
from torch import Tensor


def _prepare(logits: Tensor, targets: Tensor, ignore_index: int) -> tuple[Tensor, Tensor, Tensor]:
    """log-probabilities, targets that can be looked up, and what counts."""
    valid = targets >= 0
    index = targets.masked_fill(~valid, 0).long()
    shifted = logits.float() if logits.dtype in (torch.half, torch.bfloat16) else logits
    shifted = shifted - shifted.amax(-1, keepdim=True)
    log_p = shifted - shifted.exp().sum(-1, keepdim=True).log()
    return log_p, index, valid


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    log_p, index, valid = _prepare(logits, targets, ignore_index)
    nll = -log_p.gather(-1, index.unsqueeze(-1)).squeeze(-1)
    smooth = -log_p.mean(-1)
    loss = nll.lerp(smooth, label_smoothing)
    return (loss[valid].sum() / valid.sum()).to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    log_p, index, valid = _prepare(logits, targets, ignore_index)
    classes = logits.shape[-1]
    grad = log_p.exp()
    grad = grad - label_smoothing / classes
    src = torch.full_like(grad[..., :1], label_smoothing - 1.0)
    grad = grad.scatter_add(-1, index.unsqueeze(-1), src)
    grad = grad * valid.unsqueeze(-1) / valid.sum()
    return grad.to(logits.dtype)
