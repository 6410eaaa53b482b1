import torch

_top = lambda x, dim: x.amax(dim, keepdim=True)

softmax = lambda x, dim=-1: (e := (x - _top(x, dim)).exp()) / e.sum(-1, keepdim=True)

log_sum_exp = lambda x, dim=-1: (m := _top(x, dim)).squeeze(dim) + (x - m).exp().sum(dim).log()


def masked_softmax(scores, mask):
    w = mask.ne(0).to(scores)
    low = scores.min().detach()
    s = scores * w + low * (1 - w)
    e = (s - _top(s, -1)).exp() * w
    return e / (e.sum(-1, keepdim=True) + (w.sum(-1, keepdim=True) == 0))
