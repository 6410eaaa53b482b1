# attn-kata: cross-entropy
from __future__ import annotations

import torch
from torch import Tensor


def _up(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    rows = _up(logits).flatten(0, 1)
    flat = targets.flatten().long()
    keep = flat != ignore_index
    rows, flat = rows[keep], flat[keep]
    rows = rows - rows.amax(dim=1, keepdim=True).detach()
    log_p = rows - rows.exp().sum(dim=1, keepdim=True).log()
    hard = -log_p.gather(1, flat[:, None]).squeeze(1)
    soft = -log_p.mean(dim=1)
    return ((1 - label_smoothing) * hard + label_smoothing * soft).mean().to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    B, T, C = logits.shape
    x = _up(logits).flatten(0, 1)
    flat = targets.flatten().long()
    keep = flat != ignore_index
    safe = flat.masked_fill(~keep, 0)

    # softmax into a fresh buffer
    p = torch.sub(x, x.amax(dim=1, keepdim=True)).exp_()
    p.div_(p.sum(dim=1, keepdim=True))

    # the target distribution into another one
    q = torch.full_like(p, label_smoothing / C)
    q.scatter_(1, safe[:, None], 1 - label_smoothing)

    grad = p.sub_(q).div_(keep.sum())
    grad.masked_fill_(~keep[:, None], 0)
    return grad.view(B, T, C).to(logits.dtype)
