import torch
import torch.nn.functional as F


def _lse(z):
    top = z.max(dim=-1, keepdim=True).values
    return top + torch.log(torch.sum(torch.exp(z - top), dim=-1, keepdim=True))


def _smoothed(targets, keep, num_classes, eps, dtype):
    t = torch.where(keep, targets, 0).long()
    hot = F.one_hot(t, num_classes).to(dtype)
    return hot * (1 - eps) + (1 - hot) * eps / (num_classes - 1)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    keep = targets.ne(ignore_index)
    q = _smoothed(targets, keep, logits.size(-1), label_smoothing, logits.dtype)
    nll = (q * (_lse(logits) - logits)).sum(-1)
    return nll[keep].sum() / keep.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    keep = targets.ne(ignore_index)
    q = _smoothed(targets, keep, logits.size(-1), label_smoothing, logits.dtype)
    p = torch.exp(logits - _lse(logits))
    return (p - q) * keep.unsqueeze(-1).to(p.dtype) / keep.sum()
