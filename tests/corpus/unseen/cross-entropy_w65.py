from __future__ import annotations

import torch
from torch import Tensor


def to_compute(logits: Tensor) -> Tensor:
    """The compute dtype of a mixed_float16 policy."""
    return logits.float() if logits.dtype.itemsize < 4 else logits


def log_softmax_v2(logits: Tensor, axis: int = -1) -> Tensor:
    z = logits - torch.amax(logits, dim=axis, keepdim=True)
    return z - torch.log(torch.sum(torch.exp(z), dim=axis, keepdim=True))


def smooth_one_hot(labels: Tensor, depth: int, smoothing: float, dtype: torch.dtype) -> Tensor:
    one_hot = torch.nn.functional.one_hot(labels, depth).to(dtype)
    return (1.0 - smoothing) * one_hot + smoothing / depth


def prepare(targets: Tensor, ignore_index: int, dtype: torch.dtype):
    """Labels that can be looked up, and a sample weight of 1 or 0 for every step."""
    sample_weight = torch.not_equal(targets, ignore_index)
    labels = torch.where(sample_weight, targets, 0)
    return labels, sample_weight.to(dtype)


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    dtype, logits = logits.dtype, to_compute(logits)
    labels, sample_weight = prepare(targets, ignore_index, logits.dtype)
    y_true = smooth_one_hot(labels, logits.shape[-1], label_smoothing, logits.dtype)
    per_step = -torch.sum(y_true * log_softmax_v2(logits), dim=-1)
    per_sample = torch.sum(per_step * sample_weight, dim=-1) / torch.sum(sample_weight, dim=-1)
    return torch.mean(per_sample).to(dtype)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    dtype, logits = logits.dtype, to_compute(logits)
    labels, sample_weight = prepare(targets, ignore_index, logits.dtype)
    y_true = smooth_one_hot(labels, logits.shape[-1], label_smoothing, logits.dtype)
    y_pred = torch.exp(log_softmax_v2(logits))
    grads = (y_pred - y_true) * torch.unsqueeze(sample_weight, -1)
    return (grads / torch.sum(sample_weight)).to(dtype)
