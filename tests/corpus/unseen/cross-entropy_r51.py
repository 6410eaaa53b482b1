from __future__ import annotations

import torch
from torch import Tensor


def _log_probs_of_counted(logits: Tensor, targets: Tensor, ignore_index: int):
    counted = (targets != ignore_index).nonzero(as_tuple=True)
    rows = logits[counted]
    if rows.dtype in (torch.float16, torch.bfloat16):
        rows = rows.float()
    rows = rows - rows.max(dim=1, keepdim=True)[0].detach()
    return counted, targets[counted].long(), rows - torch.log(rows.exp().sum(1, keepdim=True))


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    _, wanted, log_p = _log_probs_of_counted(logits, targets, ignore_index)
    hit = log_p[torch.arange(len(wanted), device=log_p.device), wanted]
    # -sum(q log p) = -(1 - eps) log p[target] - eps * mean(log p)
    blend = torch.lerp(hit, log_p.mean(dim=1), label_smoothing)
    return -blend.mean().to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    counted, wanted, log_p = _log_probs_of_counted(logits, targets, ignore_index)
    count, classes = log_p.shape
    grad = log_p.exp() - label_smoothing / classes
    grad[torch.arange(count, device=grad.device), wanted] -= 1 - label_smoothing
    out = torch.zeros_like(logits)
    out[counted] = (grad / count).to(out.dtype)
    return out
