# wrong: drill-softmax axis-ignored line 8
# fair: axis-ignored 8, 7, 9
import torch


def softmax(x, dim=-1):
    m = x.max(-1, keepdim=True).values
    e = (x - m).exp()
    return e / e.sum(-1, keepdim=True)


def logsumexp(x, dim=-1):
    m = x.max(dim, keepdim=True).values
    return (m + (x - m).exp().sum(dim, keepdim=True).log()).squeeze(dim)


def masked_softmax(scores, mask):
    keep = mask.bool()
    s = torch.where(keep, scores, torch.full_like(scores, torch.finfo(scores.dtype).min))
    return softmax(s) * keep
