from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def _prepare(logits: Tensor, targets: Tensor, ignore_index: int, label_smoothing: float):
    """log p and q of the positions that count, one row each."""
    counted = targets.ne(ignore_index)
    rows = logits[counted]
    rows = rows.to(torch.promote_types(rows.dtype, torch.float32))
    classes = rows.size(-1)

    shifted = rows - rows.detach().amax(dim=-1, keepdim=True)
    log_p = shifted - shifted.exp().sum(dim=-1, keepdim=True).log()

    q = F.one_hot(targets[counted].long(), classes).to(rows.dtype)
    q = (1.0 - label_smoothing) * q + label_smoothing / classes
    return counted, log_p, q


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    _, log_p, q = _prepare(logits, targets, ignore_index, label_smoothing)
    return (-(q * log_p).sum() / len(q)).to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counted, log_p, q = _prepare(logits, targets, ignore_index, label_smoothing)
    grad = torch.zeros_like(logits)
    grad[counted] = ((log_p.exp() - q) / len(q)).to(logits.dtype)
    return grad
