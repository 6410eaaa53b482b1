# wrong: cross-entropy loss-ignored-counted line 12
import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    mask = (targets != ignore_index).to(logits.dtype)
    safe = targets.clamp(min=0)
    m = logits.max(-1, keepdim=True)[0]
    logp = logits - m - (logits - m).exp().sum(-1, keepdim=True).log()
    nll = -logp.gather(-1, safe[..., None])[..., 0]
    loss = (1 - label_smoothing) * nll - label_smoothing * logp.mean(-1)
    return (loss * mask).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    mask = targets != ignore_index
    safe = targets.clamp(min=0)
    m = logits.max(-1, keepdim=True)[0]
    p = (logits - m).exp()
    p = p / p.sum(-1, keepdim=True)
    q = torch.zeros_like(p).scatter_(-1, safe[..., None], 1.0)
    q = q * (1 - label_smoothing) + label_smoothing / p.shape[-1]
    return (p - q) * mask[..., None] / mask.sum()
