import torch
from torch import Tensor


def log_probs(logits: Tensor) -> Tensor:
    shifted = logits - logits.amax(dim=-1, keepdim=True).detach()
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def counted(targets: Tensor, ignore_index: int) -> Tensor:
    return targets != ignore_index


def lookup(targets: Tensor, keep: Tensor) -> Tensor:
    return targets.masked_fill(~keep, 0).long().unsqueeze(-1)


def wanted(logits: Tensor, index: Tensor, smoothing: float) -> Tensor:
    """The distribution that is aimed at, (batch, length, classes)."""
    classes = logits.shape[-1]
    even = torch.full_like(logits, smoothing / (classes - 1))
    return even.scatter_add(-1, index, torch.full_like(index, 1.0 - smoothing, dtype=logits.dtype))


def cross_entropy(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    keep = counted(targets, ignore_index)
    aim = wanted(logits.detach(), lookup(targets, keep), label_smoothing)
    each = -(aim * log_probs(logits)).sum(dim=-1)
    return each[keep].mean()


def cross_entropy_backward(
    logits: Tensor, targets: Tensor, ignore_index: int = -1, label_smoothing: float = 0.0
) -> Tensor:
    keep = counted(targets, ignore_index)
    aim = wanted(logits, lookup(targets, keep), label_smoothing)
    return (log_probs(logits).exp() - aim) * keep.unsqueeze(-1) / keep.sum()
