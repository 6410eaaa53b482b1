# wrong: cross-entropy loss-over-ignored line 30
# fair: loss-over-ignored 31
from __future__ import annotations

import torch
from torch import Tensor


def _upcast(logits: Tensor) -> Tensor:
    if logits.dtype in (torch.float16, torch.bfloat16):
        return logits.to(torch.float32)
    return logits


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    # Shift by the row maximum so that exp cannot overflow.
    shifted = _upcast(logits)
    shifted = shifted - torch.amax(shifted, dim=-1, keepdim=True)
    log_probs = shifted - torch.log(torch.sum(torch.exp(shifted), dim=-1, keepdim=True))

    # Negative log-likelihood of the targets.
    valid = targets != ignore_index
    index = targets.masked_fill(~valid, 0).long()
    nll = -torch.gather(log_probs, dim=-1, index=index.unsqueeze(-1)).squeeze(-1)
    nll_loss = nll[valid].mean()

    # Share of the uniform distribution.
    smooth_loss = -log_probs.mean()
    loss = (1.0 - label_smoothing) * nll_loss + label_smoothing * smooth_loss
    return loss.to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    shifted = _upcast(logits.detach())
    shifted = shifted - torch.amax(shifted, dim=-1, keepdim=True)
    exps = torch.exp(shifted)
    probs = exps / torch.sum(exps, dim=-1, keepdim=True)

    valid = targets != ignore_index
    index = targets.masked_fill(~valid, 0).long()
    num_classes = logits.shape[-1]
    wanted = torch.full_like(probs, label_smoothing / num_classes)
    wanted.scatter_add_(
        -1, index.unsqueeze(-1), torch.full_like(probs[..., :1], 1.0 - label_smoothing)
    )
    grad = (probs - wanted) * valid.unsqueeze(-1) / valid.sum()
    return grad.to(logits.dtype)
