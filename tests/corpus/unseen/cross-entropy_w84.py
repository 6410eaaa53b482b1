from __future__ import annotations

import torch
from torch import Tensor

CHUNK = 256


def _losses(logits: Tensor, targets: Tensor, smoothing: float) -> Tensor:
    """-sum q log p of each position; (n, classes) and (n,) -> (n,)"""
    top = logits.max(dim=-1, keepdim=True).values
    lse = (logits - top).exp().sum(-1).log() + top.squeeze(-1)
    at_target = logits[torch.arange(len(targets), device=logits.device), targets]
    return lse - (1 - smoothing) * at_target - smoothing * logits.mean(-1)


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    logits, targets = logits.flatten(0, 1), targets.flatten()
    means = []
    # only a piece of exponentials is held at a time
    for z, t in zip(logits.split(CHUNK), targets.split(CHUNK)):
        counts = t != ignore_index
        if counts.any():
            means.append(_losses(z[counts], t[counts].long(), label_smoothing).mean())
    return torch.stack(means).mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    classes = logits.shape[-1]
    counts = targets != ignore_index
    exps = (logits - logits.amax(-1, keepdim=True)).exp()
    grad = exps / exps.sum(-1, keepdim=True) - label_smoothing / classes
    index = targets.masked_fill(~counts, 0).long().unsqueeze(-1)
    grad.scatter_add_(-1, index, torch.full_like(grad[..., :1], label_smoothing - 1))
    grad[~counts] = 0
    return grad / counts.sum()
