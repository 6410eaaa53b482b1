from __future__ import annotations

import torch
from torch import Tensor


def _log_probs(logits: Tensor) -> Tensor:
    z = logits.to(torch.promote_types(logits.dtype, torch.float32))
    z = z - z.amax(-1, keepdim=True)
    return z - z.exp().sum(-1, keepdim=True).log()


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    keep = targets.ne(ignore_index)
    index = targets.masked_fill(~keep, 0).unsqueeze(-1)
    logp = _log_probs(logits)
    hard = logp.gather(-1, index).squeeze(-1)
    loss = torch.lerp(hard, logp.mean(-1), label_smoothing)
    return (-(loss * keep).sum() / keep.sum()).to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    """Everything happens in the one buffer that is returned."""
    keep = targets.ne(ignore_index).unsqueeze(-1)
    index = targets.unsqueeze(-1).masked_fill(~keep, 0)
    count = keep.sum()

    grad = _log_probs(logits).exp_()
    grad.mul_(keep)
    grad.sub_(label_smoothing / logits.size(-1))
    hit = torch.full_like(index, 1, dtype=grad.dtype).mul_(label_smoothing - 1.0)
    grad.scatter_add_(-1, index, hit)
    return grad.div_(count).to(logits.dtype)
