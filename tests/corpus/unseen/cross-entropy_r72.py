import math

import torch
from torch import Tensor
from torch.func import vmap


def _loss_of_one(row: Tensor, label: Tensor, counts: Tensor, eps: float) -> Tensor:
    shifted = row - row.max()
    log_p = shifted - torch.log(torch.exp(shifted).sum())
    on_target = (torch.arange(row.shape[0], device=row.device) == label).to(row.dtype)
    q = (1.0 - eps) * on_target + eps / row.shape[0]
    return torch.where(counts, -(q * log_p).sum(), torch.zeros_like(row[0]))


def _grad_of_one(row: Tensor, label: Tensor, counts: Tensor, eps: float) -> Tensor:
    p = torch.exp2((row - row.max()) * (1 / math.log(2)))
    p = p / p.sum()
    on_target = (torch.arange(row.shape[0], device=row.device) == label).to(row.dtype)
    return torch.where(counts, p - (1.0 - eps) * on_target - eps / row.shape[0], torch.zeros_like(row))


def _map(f, logits, targets, ignore_index, eps):
    # chunks of 4096 positions, as one would for a large vocabulary
    z = logits.flatten(0, 1)
    z = z.to(torch.promote_types(z.dtype, torch.float32))
    t = targets.flatten()
    g = vmap(lambda r, y, c: f(r, y, c, eps))
    parts = [g(a, b, b.ne(ignore_index)) for a, b in zip(z.split(4096), t.split(4096))]
    return torch.cat(parts), t.ne(ignore_index).sum()


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    losses, n = _map(_loss_of_one, logits, targets, ignore_index, label_smoothing)
    return losses.sum() / n


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    grads, n = _map(_grad_of_one, logits, targets, ignore_index, label_smoothing)
    return (grads / n).view_as(logits)
