import torch


def _stable_log_probs(logits):
    x = logits.to(torch.promote_types(logits.dtype, torch.float32))
    x = x - x.amax(dim=-1, keepdim=True)
    return x - x.exp().sum(dim=-1, keepdim=True).log()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    counts = targets != ignore_index
    logp = _stable_log_probs(logits)
    index = targets.masked_fill(~counts, 0).unsqueeze(-1)
    nll = -logp.gather(-1, index).squeeze(-1)
    uniform = -logp.mean(dim=-1)
    each = (1 - label_smoothing) * nll + label_smoothing * uniform
    return (each * counts).sum() / counts.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    valid = targets >= 0
    p = _stable_log_probs(logits).exp()
    classes = logits.shape[-1]
    index = targets.clamp(min=0).unsqueeze(-1)
    grad = p - label_smoothing / classes
    grad = grad.scatter_add(-1, index, torch.full_like(p[..., :1], label_smoothing - 1.0))
    grad = grad * valid.unsqueeze(-1) / valid.sum()
    return grad.to(logits.dtype)
