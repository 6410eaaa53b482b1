from __future__ import annotations

import torch
from torch import Tensor


def my_softmax(z: Tensor) -> Tensor:
    z = z - z.amax(dim=-1, keepdim=True)  # 防止溢出
    e = torch.exp(z)
    return e / e.sum(dim=-1, keepdim=True)


def my_log_softmax(z: Tensor) -> Tensor:
    p = my_softmax(z)
    return torch.log(p + 1e-9)


def make_targets(logits: Tensor, targets: Tensor, keep: Tensor, smoothing: float) -> Tensor:
    c = logits.size(-1)
    one_hot = torch.zeros_like(logits)
    one_hot.scatter_(-1, torch.where(keep, targets, 0).unsqueeze(-1), 1.0)
    return (1.0 - smoothing) * one_hot + smoothing / c


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    keep = targets != ignore_index
    q = make_targets(logits, targets, keep, label_smoothing)
    loss = -(q * my_log_softmax(logits)).sum(dim=-1)
    return loss[keep].mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    keep = targets != ignore_index
    q = make_targets(logits, targets, keep, label_smoothing)
    grad = my_softmax(logits) - q
    grad = grad * keep.unsqueeze(-1)
    return grad / keep.sum()
