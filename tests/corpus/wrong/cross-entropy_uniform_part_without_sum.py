# wrong: cross-entropy loss-not-normalised line 18
import torch


def log_sum_exp(z):
    top = z.amax(-1, keepdim=True)
    return (z - top).exp().sum(-1, keepdim=True).log() + top


def one_hot(targets, like):
    classes = torch.arange(like.shape[-1], device=like.device)
    return (targets[..., None] == classes).to(like.dtype)


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    total = log_sum_exp(logits).squeeze(-1)
    nll = total - (logits * one_hot(targets, logits)).sum(-1)
    uniform = logits.mean(-1)
    loss = (1 - label_smoothing) * nll - label_smoothing * uniform
    return loss[targets != ignore_index].mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    keep = (targets != ignore_index)[..., None]
    p = (logits - log_sum_exp(logits)).exp()
    want = (1 - label_smoothing) * one_hot(targets, logits) + label_smoothing / logits.shape[-1]
    return (p - want) * keep / keep.sum()
