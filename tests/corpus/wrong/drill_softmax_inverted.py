# wrong: drill-softmax mask-inverted line 17
import torch


def softmax(x, dim=-1):
    num = (x - x.amax(dim, True)).exp()
    return num / num.sum(dim, True)


def log_sum_exp(x, dim=-1):
    hi = x.amax(dim, True)
    return hi.squeeze(dim) + (x - hi).exp().sum(dim).log()


def masked_softmax(scores, mask):
    hide = mask.bool().expand(scores.shape)
    s = torch.where(hide, torch.finfo(scores.dtype).min, scores)
    e = (s - s.amax(-1, True)).exp() * ~hide
    return e / e.sum(-1, True).clamp(min=1)
