import torch
import torch.nn.functional as F


def soft_targets(targets, classes, ignore_index, eps, dtype):
    keep = targets != ignore_index
    clean = torch.where(keep, targets, 0).long()
    one_hot = F.one_hot(targets.long(), classes).to(dtype)
    return one_hot * (1 - eps) + eps / classes, keep


def log_p(logits):
    top = logits.max(dim=-1, keepdim=True).values
    z = logits - top
    return z - torch.log(torch.exp(z).sum(dim=-1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    y, keep = soft_targets(targets, logits.shape[-1], ignore_index, label_smoothing, logits.dtype)
    loss = -(y * log_p(logits)).sum(dim=-1)
    return torch.where(keep, loss, 0).sum() / keep.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    y, keep = soft_targets(targets, logits.shape[-1], ignore_index, label_smoothing, logits.dtype)
    grad = (log_p(logits).exp() - y) / keep.sum()
    return grad.masked_fill(~keep[..., None], 0)
