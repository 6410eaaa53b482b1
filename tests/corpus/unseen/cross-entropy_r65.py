import torch
from torch import einsum


# helpers


def log_softmax(t):
    t = t - t.amax(dim=-1, keepdim=True).detach()
    return t - t.exp().sum(dim=-1, keepdim=True).log()


def soft_targets(targets, keep, num_classes, smoothing, like):
    idx = targets.where(keep, torch.zeros_like(targets))
    one_hot = torch.zeros_like(like).scatter(-1, idx.long().unsqueeze(-1), 1.)
    return one_hot * (1. - smoothing) + smoothing / num_classes


def upcast(t):
    return t.float() if t.dtype in (torch.float16, torch.bfloat16) else t


# main


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.):
    dtype, logits = logits.dtype, upcast(logits)
    keep = targets != ignore_index
    q = soft_targets(targets, keep, logits.shape[-1], label_smoothing, logits)
    q = q * keep[..., None]
    loss = -einsum('b n c, b n c ->', q, log_softmax(logits))
    return (loss / keep.sum()).to(dtype)


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.):
    dtype, logits = logits.dtype, upcast(logits)
    keep = targets != ignore_index
    q = soft_targets(targets, keep, logits.shape[-1], label_smoothing, logits)
    p = log_softmax(logits).exp()
    grad = (p - q) / keep.sum()
    return grad.masked_fill(~keep[..., None], 0.).to(dtype)
