import torch


def _log_probs(logits):
    z = logits - logits.amax(dim=-1, keepdim=True).detach()
    return z - z.exp().sum(dim=-1, keepdim=True).log()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    wide = torch.promote_types(logits.dtype, torch.float32)
    lp = _log_probs(logits.to(wide).flatten(0, 1))
    y = targets.flatten().long()
    keep = y != ignore_index
    lp, y = lp[keep], y[keep]
    nll = -lp.gather(1, y[:, None]).squeeze(1)
    flat = -lp.mean(dim=1)
    return ((1 - label_smoothing) * nll + label_smoothing * flat).mean().to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    wide = torch.promote_types(logits.dtype, torch.float32)
    B, T, V = logits.shape
    p = _log_probs(logits.to(wide)).exp()
    keep = targets != ignore_index
    safe = torch.where(keep, targets, 0).long()
    q = torch.full_like(p, label_smoothing / V)
    q.scatter_add_(2, safe.unsqueeze(-1), torch.full((B, T, 1), 1.0 - label_smoothing, dtype=wide, device=p.device))
    grad = (p - q) / keep.sum()
    return (grad * keep.unsqueeze(-1)).to(logits.dtype)
