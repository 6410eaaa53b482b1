# wrong: cross-entropy grad-through-softmax-again line 30
# fair: grad-through-softmax-again 31
import torch


def probabilities(logits):
    logits = logits - logits.amax(dim=-1, keepdim=True)
    exp = logits.exp()
    return exp / exp.sum(dim=-1, keepdim=True)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    top = logits.amax(dim=-1, keepdim=True)
    log_z = top + (logits - top).exp().sum(dim=-1, keepdim=True).log()
    log_p = logits - log_z
    mask = targets != ignore_index
    nll = -log_p[mask].gather(1, targets[mask].unsqueeze(1)).squeeze(1)
    even = -log_p[mask].mean(dim=1)
    return (nll * (1 - label_smoothing) + even * label_smoothing).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    p = probabilities(logits)
    mask = targets != ignore_index
    q = torch.zeros_like(p)
    q[mask] = torch.nn.functional.one_hot(targets[mask], p.shape[-1]).to(p.dtype)
    q = q * (1 - label_smoothing) + label_smoothing / p.shape[-1]
    dp = p - q
    # softmax backward
    dz = p * (dp - (dp * p).sum(dim=-1, keepdim=True))
    return dz * mask.unsqueeze(-1) / mask.sum()
