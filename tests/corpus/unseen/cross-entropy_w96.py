from __future__ import annotations

import torch
from torch import Tensor


def _log_p(z: Tensor) -> Tensor:
    z = z - z.amax(-1, keepdim=True).detach()
    return z - z.exp().sum(-1, keepdim=True).log()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    valid = targets != ignore_index
    lp = _log_p(logits)
    safe = targets.where(valid, 0).long()
    nll = -lp.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    per = (1 - label_smoothing) * nll - label_smoothing * lp.mean(-1)
    return torch.where(valid, per, 0).sum() / valid.sum()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    valid = targets != ignore_index
    classes = logits.size(-1)
    g = _log_p(logits).exp() - label_smoothing / classes
    safe = targets.where(valid, 0).long().unsqueeze(-1)
    g = g.scatter_add(-1, safe, torch.full_like(g[..., :1], label_smoothing - 1))
    return g * valid.unsqueeze(-1) / (targets >= 0).sum()
