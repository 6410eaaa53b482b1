import torch


def softmax(x, dim=-1):
    """Numerically stable softmax: shift by the maximum, exponentiate, normalise."""
    x_max = torch.max(x)
    x_exp = torch.exp(x - x_max)
    partition = x_exp.sum(dim, keepdim=True)
    return x_exp / partition  # the broadcasting mechanism is applied here


def log_sum_exp(x, dim=-1):
    c = x.max(dim, keepdim=True).values
    return c.squeeze(dim) + torch.log(torch.exp(x - c).sum(dim))


def masked_softmax(scores, mask):
    """Softmax over the last axis, with hidden elements at zero."""
    mask = (mask > 0).expand_as(scores)
    filled = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    c = filled.max(-1, keepdim=True).values
    e = torch.exp(filled - c) * mask
    s = e.sum(-1, keepdim=True)
    return e / s.masked_fill(s == 0, 1.0)
