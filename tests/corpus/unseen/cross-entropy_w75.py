import torch
import torch.nn.functional as F


def log_probs(logits):
    shifted = logits - logits.max(dim=-1, keepdim=True).values
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    logp = log_probs(logits)
    valid = targets != ignore_index
    safe_targets = targets.masked_fill(~valid, 0)

    nll = -logp.gather(-1, safe_targets.unsqueeze(-1)).squeeze(-1)
    smooth = -logp.mean(dim=-1)
    loss = (1 - label_smoothing) * nll + label_smoothing * smooth
    loss = loss.masked_fill(~valid, 0.0)
    return loss.mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    num_classes = logits.size(-1)
    valid = targets != ignore_index
    safe_targets = targets.masked_fill(~valid, 0)

    p = log_probs(logits).exp()
    q = F.one_hot(safe_targets, num_classes).to(logits.dtype)
    q = q * (1 - label_smoothing) + label_smoothing / num_classes
    grad = (p - q) * valid.unsqueeze(-1).to(logits.dtype)
    return grad / valid.sum()
