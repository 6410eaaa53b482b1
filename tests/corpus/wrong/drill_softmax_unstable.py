# wrong: drill-softmax softmax-unstable line 6
import torch


def softmax(x, dim=-1):
    e = torch.exp(x)
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = x.amax(dim, keepdim=True)
    return (m + (x - m).exp().sum(dim, keepdim=True).log()).squeeze(dim)


def masked_softmax(scores, mask):
    s = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    s = (s - s.amax(-1, keepdim=True)).exp() * (mask != 0)
    return s / s.sum(-1, keepdim=True).clamp(min=1)
