from __future__ import annotations

import torch
from torch import Tensor


def _log_probs(logits: Tensor) -> Tensor:
    z = logits.double() if logits.dtype == torch.float64 else logits.float()
    z = z - z.amax(-1, keepdim=True)
    return z - z.exp().sum(-1, keepdim=True).log()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    logp = _log_probs(logits)
    keep = targets.ne(ignore_index)
    index = targets.masked_fill(~keep, 0).long().unsqueeze(-1)

    hard = -logp.gather(-1, index).squeeze(-1)[keep].mean()
    soft = -logp.mean()
    return torch.lerp(hard, soft, label_smoothing)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    p = _log_probs(logits).exp()
    keep = targets.ne(ignore_index)
    index = targets.masked_fill(~keep, 0).long().unsqueeze(-1)

    grad = p - label_smoothing / p.shape[-1]
    grad.scatter_add_(-1, index, torch.full_like(grad[..., :1], label_smoothing - 1))
    grad.mul_(keep.unsqueeze(-1)).div_(keep.sum())
    return grad.to(logits.dtype)
