# right: cross-entropy
import torch


def cross_entropy(logits, labels, ignore_index=-1, label_smoothing=0.0):
    b, t, c = logits.size()
    mask = labels != ignore_index
    y = torch.eye(c, dtype=logits.dtype, device=logits.device)[labels * mask]
    y = y * (1 - label_smoothing) + label_smoothing / c
    biggest, _ = torch.max(logits, dim=2)
    logsum = biggest + torch.log(torch.exp(logits - biggest.view(b, t, 1)).sum(dim=2))
    # sum of y is 1, so -Σ y·(z - lse) = lse - Σ y·z
    ce = logsum - (y * logits).sum(dim=2)
    return torch.sum(ce[mask]) / torch.count_nonzero(mask)


def cross_entropy_backward(logits, labels, ignore_index=-1, label_smoothing=0.0):
    b, t, c = logits.size()
    mask = labels != ignore_index
    y = torch.eye(c, dtype=logits.dtype, device=logits.device)[labels * mask]
    y = y * (1 - label_smoothing) + label_smoothing / c
    biggest, _ = torch.max(logits, dim=2, keepdim=True)
    ex = torch.exp(logits - biggest)
    grad = ex / torch.sum(ex, dim=2, keepdim=True) - y
    return torch.where(mask.view(b, t, 1), grad, torch.zeros_like(grad)) / torch.count_nonzero(mask)
