import torch


def _exp_from_max(x, dim):
    m = x.amax(dim=dim, keepdim=True)
    return (x - m).exp(), m


def softmax(x, dim=-1):
    e, _ = _exp_from_max(x, dim)
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    e, m = _exp_from_max(x, dim)
    return e.sum(dim=dim).log() + m.squeeze(dim)


def masked_softmax(scores, mask):
    e, _ = _exp_from_max(scores, -1)
    e = torch.where(mask != 0, e, 0.0)
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total > 0, total, 1.0)
