from __future__ import annotations

import torch
from torch import Tensor


class SparseCategoricalCrossentropy:
    """from_logits=True, one mean over what is not masked; `gradient` is its derivative."""

    def __init__(self, ignore_class: int, label_smoothing: float) -> None:
        self.ignore_class = ignore_class
        self.label_smoothing = label_smoothing

    def _flatten(self, y_true: Tensor, y_pred: Tensor):
        num_classes = y_pred.shape[-1]
        wide = torch.promote_types(y_pred.dtype, torch.float32)
        logits = y_pred.reshape(-1, num_classes).to(wide)
        labels = y_true.reshape(-1).long()
        mask = torch.not_equal(labels, self.ignore_class)
        return logits[mask], labels[mask], mask

    def _log_probs(self, logits: Tensor) -> Tensor:
        shifted = logits - torch.amax(logits, dim=-1, keepdim=True)
        return shifted - torch.log(torch.sum(torch.exp(shifted), dim=-1, keepdim=True))

    def _soft_labels(self, labels: Tensor, like: Tensor) -> Tensor:
        num_classes = like.shape[-1]
        one_hot = torch.eq(labels.unsqueeze(-1), torch.arange(num_classes, device=like.device))
        smooth = self.label_smoothing
        return one_hot.to(like.dtype) * (1.0 - smooth) + smooth / num_classes

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        logits, labels, _ = self._flatten(y_true, y_pred)
        soft = self._soft_labels(labels, logits)
        losses = -torch.sum(soft * self._log_probs(logits), dim=-1)
        return torch.mean(losses).to(y_pred.dtype)

    def gradient(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        logits, labels, mask = self._flatten(y_true, y_pred)
        delta = torch.exp(self._log_probs(logits)) - self._soft_labels(labels, logits)
        grads = delta.new_zeros(mask.numel(), y_pred.shape[-1])
        grads[mask] = delta / delta.shape[0]
        return grads.reshape(y_pred.shape).to(y_pred.dtype)


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    return SparseCategoricalCrossentropy(ignore_index, label_smoothing).call(targets, logits)


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    return SparseCategoricalCrossentropy(ignore_index, label_smoothing).gradient(targets, logits)
