import torch


def _smooth_labels(targets, num_classes, eps, dtype):
    q = torch.full((*targets.shape, num_classes), eps / (num_classes - 1), device=targets.device, dtype=dtype)
    q.scatter_(-1, targets.unsqueeze(-1), 1.0 - eps)
    return q


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    num_classes = logits.shape[-1]
    logits = logits.reshape(-1, num_classes)
    targets = targets.reshape(-1)
    # drop everything that is padding
    keep = targets != ignore_index
    logits, targets = logits[keep], targets[keep]

    m = logits.max(dim=-1, keepdim=True)[0]
    log_z = m + torch.log(torch.sum(torch.exp(logits - m), dim=-1, keepdim=True))
    log_p = logits - log_z
    q = _smooth_labels(targets, num_classes, label_smoothing, logits.dtype)
    return -(q * log_p).sum(dim=-1).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    num_classes = logits.shape[-1]
    keep = targets != ignore_index
    e = torch.exp(logits - logits.max(dim=-1, keepdim=True)[0])
    p = e / e.sum(dim=-1, keepdim=True)
    q = _smooth_labels(targets * keep, num_classes, label_smoothing, logits.dtype)
    grad = torch.where(keep.unsqueeze(-1), p - q, torch.zeros_like(p))
    return grad / keep.sum()
