import torch


def _prepare(logits, targets, ignore_index, label_smoothing):
    classes = logits.shape[-1]
    valid = targets != ignore_index
    safe = torch.where(valid, targets, 0)
    q = torch.nn.functional.one_hot(safe, classes).to(logits.dtype)
    q = q * (1 - label_smoothing) + label_smoothing / classes
    z = logits - logits.amax(-1, keepdim=True)
    log_p = z - z.exp().sum(-1, keepdim=True).log()
    share = valid / valid.sum(1, keepdim=True).clamp(min=1) / len(targets)
    return q, log_p, share.to(logits.dtype)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    q, log_p, share = _prepare(logits, targets, ignore_index, label_smoothing)
    return -((q * log_p).sum(-1) * share).sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    q, log_p, share = _prepare(logits, targets, ignore_index, label_smoothing)
    return (log_p.exp() - q) * share[..., None]
