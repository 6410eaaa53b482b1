# right: cross-entropy
import torch


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    V = logits.shape[-1]
    ids = torch.arange(V, device=logits.device)
    hit = ids == targets[..., None]  # (B, T, V), all False for targets out of range
    mask = targets != ignore_index
    z = logits - logits.max(dim=-1, keepdim=True).values
    logp = z - z.exp().sum(-1, keepdim=True).log()
    weight = label_smoothing / V + (1 - label_smoothing) * hit
    nll = -(weight * logp).sum(-1)
    return (nll * mask).sum() / mask.sum()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    V = logits.shape[-1]
    hit = torch.arange(V, device=logits.device).eq(targets[..., None])
    mask = targets != ignore_index
    z = logits - logits.max(dim=-1, keepdim=True).values
    soft = z.exp() / z.exp().sum(-1, keepdim=True)
    weight = label_smoothing / V + (1 - label_smoothing) * hit
    return (soft - weight) * (mask / mask.sum())[..., None].to(logits.dtype)
