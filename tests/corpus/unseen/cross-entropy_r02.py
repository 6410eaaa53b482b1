# attn-kata: cross-entropy
from __future__ import annotations

import torch
from torch import Tensor


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    # loss = lse - (1 - e) * logit[target] - e * mean(logits), since the q of a row add up to 1
    z = logits if logits.dtype == torch.float64 else logits.float()
    z = z - z.detach().max(dim=-1, keepdim=True).values
    valid = targets.ne(ignore_index)
    index = targets.where(valid, torch.zeros_like(targets)).long()
    picked = z.gather(-1, index.unsqueeze(-1)).squeeze(-1)
    loss = z.exp().sum(-1).log() - (1 - label_smoothing) * picked - label_smoothing * z.mean(-1)
    return (loss.masked_fill(~valid, 0).sum() / valid.sum()).to(logits.dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    with torch.no_grad():
        z = logits.double() if logits.dtype == torch.float64 else logits.float()
        grad = (z - z.amax(-1, keepdim=True)).exp_()
        grad /= grad.sum(-1, keepdim=True)
        valid = targets.ne(ignore_index)
        index = targets.where(valid, torch.zeros_like(targets)).long().unsqueeze(-1)
        grad -= label_smoothing / logits.shape[-1]
        grad.scatter_add_(-1, index, torch.full_like(grad[..., :1], label_smoothing - 1))
        grad *= valid.unsqueeze(-1)
        grad /= valid.sum()
        return grad.to(logits.dtype)
