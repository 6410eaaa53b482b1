import torch


def stable_logp(x):
    m, _ = x.max(-1, keepdim=True)
    e = (x - m).exp()
    return (x - m) - e.sum(-1, keepdim=True).log()


def pick(targets, ignore_index):
    """Which positions count, and a class for every position that can be looked up."""
    labels = targets.flatten()
    valid = labels >= 0
    return valid, labels.clamp(min=0).long()


def cross_entropy(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C = logits.shape[-1]
    logp = stable_logp(logits.reshape(-1, C))
    valid, labels = pick(targets, ignore_index)
    n = valid.sum()
    main = logp.gather(1, labels.unsqueeze(1)).squeeze(1)
    smooth = logp.sum(1) / C
    each = (1.0 - label_smoothing) * main + label_smoothing * smooth
    return -torch.where(valid, each, torch.zeros_like(each)).sum() / n


def cross_entropy_backward(logits, targets, ignore_index=-1, label_smoothing=0.0):
    C = logits.shape[-1]
    g = stable_logp(logits.reshape(-1, C)).exp()
    valid, labels = pick(targets, ignore_index)
    n = valid.sum()
    g = g - label_smoothing / C
    hot = torch.full_like(labels, 1, dtype=g.dtype) * (1.0 - label_smoothing)
    g = g.scatter_add(1, labels.unsqueeze(1), -hot.unsqueeze(1))
    g = torch.where(valid.unsqueeze(1), g, torch.zeros_like(g)) / n
    return g.view_as(logits)
