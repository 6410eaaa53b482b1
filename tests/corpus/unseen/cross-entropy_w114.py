from __future__ import annotations

import torch
from torch import Tensor


# Written as for a vocabulary that lies on two ranks, like Megatron's vocab-parallel loss.
RANKS = 2


def shards(logits: Tensor) -> list[tuple[int, int, Tensor]]:
    size = -(-logits.shape[-1] // RANKS)
    pieces, start = [], 0
    for piece in logits.split(size, dim=-1):
        pieces.append((start, start + piece.shape[-1], piece))
        start += piece.shape[-1]
    return pieces


def log_denominator(logits: Tensor) -> Tensor:
    peak = torch.stack([piece.amax(-1) for _, _, piece in shards(logits)]).amax(0)
    total = sum((piece - peak[..., None]).exp().sum(-1) for _, _, piece in shards(logits))
    return total.log() + peak


def target_logit(logits: Tensor, targets: Tensor) -> Tensor:
    found = torch.zeros_like(logits[..., 0])
    for first, last, piece in shards(logits):
        mine = (targets >= first) & (targets <= last)
        local = (targets - first).clamp(0, last - first - 1)
        value = piece.gather(-1, local.unsqueeze(-1)).squeeze(-1)
        found = found + torch.where(mine, value, torch.zeros_like(value))
    return found


def _wide(logits: Tensor) -> Tensor:
    return logits.to(torch.promote_types(logits.dtype, torch.float32))


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    logits = _wide(logits)
    counts = targets != ignore_index
    wanted = (1 - label_smoothing) * target_logit(logits, targets)
    wanted = wanted + label_smoothing * logits.mean(-1)
    loss = log_denominator(logits) - wanted
    return loss[counts].mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    logits = _wide(logits)
    counts = targets != ignore_index
    classes = torch.arange(logits.shape[-1], device=logits.device)
    onehot = (targets[..., None] == classes).to(logits.dtype)
    wanted = (1 - label_smoothing) * onehot + label_smoothing / len(classes)
    grad = (logits - log_denominator(logits)[..., None]).exp() - wanted
    return grad * counts[..., None] / counts.sum()
