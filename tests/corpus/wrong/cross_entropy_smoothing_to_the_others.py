# wrong: cross-entropy smoothing-over-others line 8
# fair: smoothing-over-others 7
import torch


def smooth_targets(targets, classes, eps, dtype):
    out = torch.full((*targets.shape, classes), eps / (classes - 1), dtype=dtype, device=targets.device)
    return out.scatter(-1, targets[..., None], 1 - eps)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    mask = targets != ignore_index
    q = smooth_targets(targets * mask, logits.shape[-1], label_smoothing, logits.dtype)
    z = logits - logits.amax(-1, keepdim=True)
    logp = z - z.exp().sum(-1, keepdim=True).log()
    return -((q * logp).sum(-1) * mask).sum() / mask.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    mask = targets != ignore_index
    q = smooth_targets(targets * mask, logits.shape[-1], label_smoothing, logits.dtype)
    z = (logits - logits.amax(-1, keepdim=True)).exp()
    p = z / z.sum(-1, keepdim=True)
    return (p - q) * mask[..., None] / mask.sum()
