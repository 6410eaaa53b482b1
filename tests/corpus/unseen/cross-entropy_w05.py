from __future__ import annotations

import torch
from torch import Tensor


def _valid(targets: Tensor, ignore_index: int) -> Tensor:
    # ignored positions carry a negative label
    return targets.ge(0)


def _normalise(logits: Tensor) -> Tensor:
    logits = logits.double()
    shifted = logits - logits.detach().amax(-1, keepdim=True)
    return shifted - shifted.exp().sum(-1, keepdim=True).log()


def _distribution(targets: Tensor, valid: Tensor, classes: int, eps: float) -> Tensor:
    index = torch.where(valid, targets, torch.zeros_like(targets)).long()
    hot = torch.nn.functional.one_hot(index, classes).double()
    return (1.0 - eps) * hot + eps / classes


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    valid = _valid(targets, ignore_index)
    q = _distribution(targets, valid, logits.shape[-1], label_smoothing)
    losses = torch.einsum("btc,btc->bt", q, -_normalise(logits))
    return ((losses * valid).sum() / valid.sum()).to(logits.dtype)


def cross_entropy_backward(logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0) -> Tensor:
    valid = _valid(targets, ignore_index)
    q = _distribution(targets, valid, logits.shape[-1], label_smoothing)
    grad = (_normalise(logits).exp() - q) * valid.unsqueeze(-1) / valid.sum()
    return grad.to(logits.dtype)
