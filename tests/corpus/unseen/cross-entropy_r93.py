import torch


def _prep(logits, targets, ignore_index):
    x = logits.double() if logits.dtype == torch.float64 else logits.float()
    counts = targets.ne(ignore_index)
    safe = targets.long().masked_fill(~counts, 0)
    return x, counts, safe


def _log_z(x):
    top = x.amax(dim=-1, keepdim=True).detach()
    return top + (x - top).exp().sum(dim=-1, keepdim=True).log()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x, counts, safe = _prep(logits, targets, ignore_index)
    logp = x - _log_z(x)
    hit = logp.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    nll = -(1 - label_smoothing) * hit - label_smoothing * logp.mean(-1)
    return (torch.where(counts, nll, 0.0).sum() / counts.sum()).to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    x, counts, safe = _prep(logits, targets, ignore_index)
    g = (x - _log_z(x)).exp() - label_smoothing / x.shape[-1]
    minus = torch.full_like(g[..., :1], -(1 - label_smoothing))
    g = g.scatter_add(-1, safe.unsqueeze(-1), minus)
    g = g.masked_fill(~counts.unsqueeze(-1), 0.0) / counts.sum()
    return g.to(logits.dtype)
