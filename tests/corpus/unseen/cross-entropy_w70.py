import torch
import torch.nn.functional as F
from torch import nn


class LabelSmoother:
    """Holds epsilon and ignore_index, as the one in a trainer does."""

    def __init__(self, epsilon, ignore_index):
        self.epsilon = epsilon
        self.ignore_index = ignore_index

    def targets(self, labels, num_classes, dtype):
        padding_mask = labels.eq(self.ignore_index)
        labels = labels.masked_fill(padding_mask, 0).long()
        confidence = 1.0 - self.epsilon
        off_value = self.epsilon / (num_classes - 1)
        one_hot = F.one_hot(labels, num_classes).to(dtype)
        soft = one_hot * confidence + (1.0 - one_hot) * off_value
        return soft, ~padding_mask

    def log_probs(self, logits):
        top = logits.max(dim=-1, keepdim=True).values
        norm = (logits - top).exp().sum(dim=-1, keepdim=True).log() + top
        return logits - norm

    def loss(self, logits, labels):
        soft, active = self.targets(labels, logits.size(-1), logits.dtype)
        nll = -(soft * self.log_probs(logits)).sum(dim=-1)
        nll = nll.masked_fill(~active, 0.0)
        return nll.sum() / active.sum()

    def grad(self, logits, labels):
        soft, active = self.targets(labels, logits.size(-1), logits.dtype)
        grad = self.log_probs(logits).exp() - soft
        return grad * active.unsqueeze(-1) / active.sum()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    return LabelSmoother(label_smoothing, ignore_index).loss(logits, targets)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    return LabelSmoother(label_smoothing, ignore_index).grad(logits, targets)
