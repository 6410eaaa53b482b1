# right: cross-entropy
import torch


def _log_probs(logits):
    work = logits if logits.dtype == torch.float64 else logits.float()
    work = work - work.max(-1, keepdim=True)[0].detach()
    return work - torch.log(torch.sum(torch.exp(work), -1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    log_p = _log_probs(logits)
    weight = targets.ne(ignore_index).to(log_p.dtype)
    picked = torch.gather(log_p, 2, targets.clamp(min=0)[..., None])[..., 0]
    per_token = (1 - label_smoothing) * picked + label_smoothing * log_p.mean(2)
    return (-(per_token * weight).sum() / weight.sum()).to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    p = _log_probs(logits).exp()
    weight = targets.ne(ignore_index).to(p.dtype)
    weight = weight / weight.sum()
    q = torch.full_like(p, label_smoothing / p.shape[2])
    q.scatter_add_(2, targets.clamp(min=0)[..., None], torch.full_like(p[..., :1], 1 - label_smoothing))
    return ((p - q) * weight[..., None]).to(logits.dtype)
