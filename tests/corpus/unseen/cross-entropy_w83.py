import torch
import torch.nn.functional as F


def log_probs(z):
    m = z.max(dim=-1, keepdim=True).values
    return z - m - torch.log(torch.sum(torch.exp(z - m), -1, keepdim=True))


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    lp = log_probs(logits).flatten(0, 1)
    t = targets.flatten()
    keep = (t != ignore_index).nonzero().squeeze(-1)

    nll = -lp[keep, t[keep].long()].mean()
    if label_smoothing == 0:
        return nll
    uniform = -lp.mean()
    return (1 - label_smoothing) * nll + label_smoothing * uniform


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C = logits.shape[-1]
    keep = targets != ignore_index
    safe = torch.where(keep, targets, torch.zeros_like(targets)).long()
    q = F.one_hot(safe, C).to(logits.dtype) * (1 - label_smoothing) + label_smoothing / C
    grad = log_probs(logits).exp() - q
    grad = grad * keep.unsqueeze(-1).to(logits.dtype)
    return grad / keep.sum()
