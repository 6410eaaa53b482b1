import torch


def softmax(x, dim=-1):
    e = torch.exp(x)
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = x.max(dim=dim, keepdim=True).values
    return (m + torch.log(torch.exp(x - m).sum(dim=dim, keepdim=True))).squeeze(dim)


def masked_softmax(scores, mask):
    keep = (mask != 0).expand(scores.shape)
    low = torch.finfo(scores.dtype).min
    s = scores.masked_fill(~keep, low)
    s = s - s.max(dim=-1, keepdim=True).values
    e = torch.exp(s) * keep
    den = e.sum(dim=-1, keepdim=True)
    return e / torch.where(den == 0, torch.ones_like(den), den)
