# wrong: cross-entropy loss-over-ignored line 24
import torch


def _lse(z):
    top = z.amax(-1, keepdim=True)
    return top + (z - top).exp().sum(-1, keepdim=True).log()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    keep = targets != ignore_index
    logp = (logits - _lse(logits))[keep]
    y = targets[keep]
    hard = logp.gather(1, y[:, None]).squeeze(1)
    return -((1 - label_smoothing) * hard + label_smoothing * logp.mean(1)).mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    keep = targets != ignore_index
    p = (logits - _lse(logits)).exp()
    y = targets.masked_fill(~keep, 0)
    p -= label_smoothing / p.size(-1)
    p.scatter_add_(-1, y.unsqueeze(-1), p.new_full((*y.shape, 1), label_smoothing - 1))
    return p / keep.sum()
