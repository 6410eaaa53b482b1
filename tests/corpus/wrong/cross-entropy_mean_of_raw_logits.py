# wrong: cross-entropy loss-shift-in-part line 12
import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    classes = logits.shape[-1]
    centred = logits - logits.amax(-1, keepdim=True)
    total = centred.exp().sum(-1).log()
    valid = targets != ignore_index
    wanted = torch.where(valid, targets, 0)
    hit = total - centred.gather(2, wanted[..., None])[..., 0]
    even = total - logits.sum(-1) / classes
    each = torch.where(valid, (1 - label_smoothing) * hit + label_smoothing * even, 0)
    return each.sum() / valid.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    classes = logits.shape[-1]
    centred = logits - logits.amax(-1, keepdim=True)
    p = centred.exp()
    p = p / p.sum(-1, keepdim=True)
    valid = targets != ignore_index
    wanted = torch.where(valid, targets, 0)
    q = torch.full_like(p, label_smoothing / classes)
    q.scatter_add_(2, wanted[..., None], torch.full_like(p[..., :1], 1 - label_smoothing))
    return (p - q) * valid[..., None] / valid.sum()
