import torch
from torch import Tensor


def _log_probs(logits: Tensor) -> Tensor:
    z = logits - logits.detach().amax(dim=-1, keepdim=True)
    return z - z.exp().sum(dim=-1, keepdim=True).log()


def _flatten(logits: Tensor, targets: Tensor, ignore_index: int):
    """只留下参与计算的位置。"""
    keep = (targets != ignore_index).reshape(-1)
    wide = torch.promote_types(logits.dtype, torch.float32)
    rows = logits.reshape(-1, logits.size(-1))[keep].to(wide)
    return rows, targets.reshape(-1)[keep].long(), keep


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    rows, labels, _ = _flatten(logits, targets, ignore_index)
    logp = _log_probs(rows)
    hit = logp[torch.arange(len(labels), device=logp.device), labels]
    per_row = (1 - label_smoothing) * hit + label_smoothing * logp.mean(dim=-1)
    return per_row.mean().neg().to(logits.dtype)


def cross_entropy_backward(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    rows, labels, keep = _flatten(logits, targets, ignore_index)
    grad_rows = _log_probs(rows).exp() - label_smoothing / rows.size(-1)
    grad_rows[torch.arange(len(labels), device=rows.device), labels] -= 1 - label_smoothing
    grad = torch.zeros(logits.shape, dtype=logits.dtype, device=logits.device).view(-1, logits.size(-1))
    grad[keep] = (grad_rows / len(labels)).to(logits.dtype)
    return grad.view_as(logits)
