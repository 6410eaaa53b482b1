import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    mask = targets != ignore_index
    safe = targets.masked_fill(~mask, 0)
    z = logits - logits.amax(dim=-1, keepdim=True)
    logp = z - z.exp().sum(dim=-1, keepdim=True).log()
    nll = -logp.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    smooth = -logp.mean(dim=-1)
    per_token = (1 - label_smoothing) * nll + label_smoothing * smooth
    return (per_token * mask).sum() / mask.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    mask = targets != ignore_index
    safe = targets.masked_fill(~mask, 0)
    z = logits - logits.amax(dim=-1, keepdim=True)
    e = z.exp()
    p = e / e.sum(dim=-1, keepdim=True)
    onehot = torch.zeros_like(p).scatter_(-1, safe.unsqueeze(-1), 1.0)
    target = onehot * (1 - label_smoothing) + label_smoothing / p.size(-1)
    grad = p - target
    grad = grad * mask.unsqueeze(-1)
    return grad / mask.sum()
