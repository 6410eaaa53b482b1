from __future__ import annotations

import torch
from torch import Tensor


def _lse(t: Tensor) -> Tensor:
    m = t.amax(-1)
    return m + torch.log(torch.exp(t - m.unsqueeze(-1)).sum(-1))


def reduce_mean(per_token: Tensor, valid: Tensor) -> Tensor:
    """Mean loss per token, padding left out."""
    kept = torch.where(valid, per_token, torch.zeros_like(per_token))
    return kept.mean()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    valid = targets != ignore_index
    safe = targets.masked_fill(~valid, 0).long()
    lse = _lse(logits)
    nll = lse - logits.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    uniform = lse - logits.mean(-1)
    loss = (1 - label_smoothing) * nll + label_smoothing * uniform
    return reduce_mean(loss, valid)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    valid = targets != ignore_index
    safe = targets.masked_fill(~valid, 0).long()
    grad = torch.exp(logits - _lse(logits).unsqueeze(-1))
    grad = grad - label_smoothing / logits.shape[-1]
    src = torch.full_like(grad[..., :1], -(1 - label_smoothing))
    grad = grad.scatter_add(-1, safe.unsqueeze(-1), src)
    return grad * valid.unsqueeze(-1) / valid.sum()
