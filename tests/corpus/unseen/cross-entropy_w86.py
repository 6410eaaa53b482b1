import torch
import torch.nn.functional as F


def _prepare(logits, targets, ignore_index):
    keep = targets.ne(ignore_index)
    index = torch.where(keep, targets, torch.zeros_like(targets)).long()
    z = logits - logits.max(dim=-1, keepdim=True).values
    logp = z - torch.log(torch.sum(torch.exp(z), dim=-1, keepdim=True))
    return keep, index, logp


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    keep, index, logp = _prepare(logits, targets, ignore_index)
    nll = -logp.gather(2, index[..., None])[..., 0]
    if label_smoothing:
        nll = (1 - label_smoothing) * nll - label_smoothing * logp.mean(-1)
    nll = torch.where(keep, nll, torch.zeros_like(nll))
    per_sample = nll.sum(1) / keep.sum(1).clamp(min=1)
    return per_sample[keep.any(1)].mean()


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    keep, index, logp = _prepare(logits, targets, ignore_index)
    classes = logits.shape[-1]
    goal = F.one_hot(index, classes).to(logits.dtype) * (1 - label_smoothing)
    goal = goal + label_smoothing / classes
    grad = (logp.exp() - goal) / keep.sum()
    return torch.where(keep[..., None], grad, torch.zeros_like(grad))
