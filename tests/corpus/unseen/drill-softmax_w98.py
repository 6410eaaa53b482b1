import torch


def _shifted(x, dim):
    m = x.amax(dim, keepdim=True)
    return m, (x - m).exp()


def softmax(x, dim=-1):
    _, e = _shifted(x, dim)
    return e / e.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m, e = _shifted(x, dim)
    return (m + e.sum(dim, keepdim=True).log()).squeeze()


def masked_softmax(scores, mask):
    shown = mask != 0
    low = torch.finfo(scores.dtype).min
    e = (scores.masked_fill(~shown, low) - scores.masked_fill(~shown, low).amax(-1, keepdim=True)).exp() * shown
    return e / e.sum(-1, keepdim=True).clamp(min=1e-6)
