# attn-kata: cross-entropy
from __future__ import annotations

import torch
from torch import Tensor


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    x = logits
    if x.dtype == torch.float16 or x.dtype == torch.bfloat16:
        x = x.float()
    batch_losses = []
    for b in range(x.shape[0]):
        counted = targets[b] != ignore_index
        if counted.sum() == 0:
            continue
        rows = x[b][counted]  # (number, classes)
        wanted = targets[b][counted].long()  # (number,)
        rows = rows - rows.max(dim=1, keepdim=True)[0].detach()
        log_p = rows - torch.log(torch.exp(rows).sum(dim=1, keepdim=True))
        at_target = log_p[torch.arange(len(wanted), device=x.device), wanted]
        everywhere = log_p.mean(dim=1)
        loss = -(1 - label_smoothing) * at_target - label_smoothing * everywhere
        batch_losses.append(loss.mean())
    return torch.stack(batch_losses).mean().to(logits.dtype)


@torch.no_grad()
def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    x = logits
    if x.dtype == torch.float16 or x.dtype == torch.bfloat16:
        x = x.float()
    batch, length, classes = x.shape
    counted = targets != ignore_index
    e = torch.exp(x - x.max(dim=2, keepdim=True)[0])
    p = e / e.sum(dim=2, keepdim=True)
    q = torch.zeros_like(p)
    for b in range(batch):
        for t in range(length):
            if counted[b, t]:
                q[b, t, targets[b, t]] = 1 - label_smoothing
    q = q + label_smoothing / classes
    grad = (p - q) / counted.sum()
    grad[~counted] = 0
    return grad.to(logits.dtype)
