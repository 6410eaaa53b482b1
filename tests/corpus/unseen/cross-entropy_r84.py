import torch


def _log_probs(logits):
    # everything from here on in float32 or wider
    z = logits.to(torch.promote_types(logits.dtype, torch.float32))
    top = torch.amax(z, dim=-1, keepdim=True)
    z = z - top
    return z - z.exp().sum(dim=-1, keepdim=True).log()


def _soft_targets(targets, ignore_index, classes, eps, dtype):
    """(batch, length, classes): q where a position counts, a row of zeros where not"""
    counted = targets != ignore_index
    labels = targets.long().where(counted, torch.zeros((), dtype=torch.long, device=targets.device))
    q = torch.nn.functional.one_hot(labels, classes).to(dtype)
    q = q * (1.0 - eps) + eps / classes
    return q * counted.unsqueeze(-1), counted.sum()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    logp = _log_probs(logits)
    q, count = _soft_targets(targets, ignore_index, logits.size(-1), label_smoothing, logp.dtype)
    return -(q * logp).sum().div(count).to(logits.dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    with torch.no_grad():
        logp = _log_probs(logits)
        q, count = _soft_targets(targets, ignore_index, logits.size(-1), label_smoothing, logp.dtype)
        counted = (targets != ignore_index).unsqueeze(-1)
        return ((logp.exp() * counted - q) / count).to(logits.dtype)
