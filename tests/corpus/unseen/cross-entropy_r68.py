"""optax-style: one-hot labels, jnp.where instead of boolean indexing, sums instead of gathers."""
import torch
import torch.nn.functional as F


def _soft_labels(targets, classes, ignore_index, label_smoothing, dtype):
    counts = targets != ignore_index
    safe = torch.where(counts, targets, torch.zeros_like(targets)).long()
    one_hot = F.one_hot(safe, classes).to(dtype)
    return one_hot * (1 - label_smoothing) + label_smoothing / classes, counts


def _lse(x):
    peak = x.amax(dim=-1, keepdim=True)
    return peak + torch.log(torch.sum(torch.exp(x - peak), dim=-1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    q, counts = _soft_labels(targets, x.shape[-1], ignore_index, label_smoothing, x.dtype)
    per_position = torch.sum(q * (_lse(x) - x), dim=-1)
    loss = torch.where(counts, per_position, 0.0).sum() / counts.sum()
    return loss.to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x = logits.detach().to(torch.promote_types(logits.dtype, torch.float32))
    q, counts = _soft_labels(targets, x.shape[-1], ignore_index, label_smoothing, x.dtype)
    p = torch.exp(x - _lse(x))
    grad = torch.where(counts[..., None], p - q, 0.0) / counts.sum()
    return grad.to(logits.dtype)
