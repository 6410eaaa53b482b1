from __future__ import annotations

import torch
from torch import Tensor


def _tournament(rows: Tensor) -> Tensor:
    """log of the sum of exponentials over the last axis, as a tournament of pairs."""
    n = rows.shape[-1]
    if n == 1:
        return rows.squeeze(-1)
    half = n // 2
    winners = torch.logaddexp(rows[..., :half], rows[..., half : 2 * half])
    if n % 2:
        winners = torch.cat((winners, rows[..., -1:]), dim=-1)
    return _tournament(winners)


def _counted(logits: Tensor, targets: Tensor, ignore_index: int) -> tuple[Tensor, Tensor, Tensor]:
    """The rows that count, flat, wide enough, with their targets; and where they were."""
    where = targets.reshape(-1).ne(ignore_index).nonzero().squeeze(1)
    flat = logits.reshape(-1, logits.shape[-1]).index_select(0, where)
    if flat.dtype in (torch.float16, torch.bfloat16):
        flat = flat.float()
    return flat, targets.reshape(-1).index_select(0, where).long(), where


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    rows, wanted, _ = _counted(logits, targets, ignore_index)
    log_z = _tournament(rows)
    hit = rows.gather(1, wanted.unsqueeze(1)).squeeze(1)
    # -sum q log p = log z - (1 - e) * hit - e * mean
    loss = log_z - (1.0 - label_smoothing) * hit
    if label_smoothing:
        loss = loss - label_smoothing * rows.mean(dim=1)
    return loss.mean().to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    rows, wanted, where = _counted(logits.detach(), targets, ignore_index)
    count, classes = rows.shape
    grad = torch.exp(rows - _tournament(rows).unsqueeze(1))
    grad -= label_smoothing / classes
    grad[torch.arange(count, device=grad.device), wanted] -= 1.0 - label_smoothing
    out = torch.zeros(targets.numel(), classes, dtype=logits.dtype, device=logits.device)
    out[where] = (grad / count).to(logits.dtype)
    return out.view(logits.shape)
