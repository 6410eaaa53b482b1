import torch


def _centred(x, dim=-1):
    return x - x.amax(dim, keepdim=True)


def softmax(x, dim=-1):
    e = _centred(x).exp()
    return e / e.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = x.amax(dim, keepdim=True)
    return m.squeeze(dim) + (x - m).exp().sum(dim).log()


def masked_softmax(scores, mask):
    on = mask.bool()
    low = torch.finfo(scores.dtype).min
    s = torch.where(on, scores, low)
    e = _centred(s).exp() * on
    z = e.sum(-1, keepdim=True)
    return e / torch.where(z > 0, z, torch.ones_like(z))
