"""Only what counts is ever looked at: the positions are picked first, then it is a plain 2-D problem."""
from __future__ import annotations

from types import SimpleNamespace

import torch
from torch import Tensor


def _select(logits: Tensor, targets: Tensor, ignore_index: int) -> SimpleNamespace:
    keep = targets.ne(ignore_index)
    z = logits[keep]
    z = z.to(torch.promote_types(z.dtype, torch.float32))
    z = z - z.max(dim=1, keepdim=True).values
    return SimpleNamespace(keep=keep, z=z, y=targets[keep].long(), n=z.size(0), c=z.size(1))


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    s = _select(logits, targets, ignore_index)
    log_z = s.z.exp().sum(1).log()
    hit = s.z[torch.arange(s.n, device=s.z.device), s.y]
    blend = torch.lerp(hit, s.z.mean(1), label_smoothing)
    return (log_z - blend).mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    s = _select(logits, targets, ignore_index)
    g = s.z.exp()
    g /= g.sum(1, keepdim=True)
    g -= label_smoothing / s.c
    g[torch.arange(s.n, device=g.device), s.y] -= 1 - label_smoothing
    full = torch.zeros_like(logits)
    full[s.keep] = (g / s.n).to(full.dtype)
    return full
