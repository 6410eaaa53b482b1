# wrong: drill-softmax forbidden-call line 11
import torch


def softmax(x, dim=-1):
    e = torch.exp(x - x.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    return torch.logsumexp(x, dim)


def masked_softmax(scores, mask):
    e = softmax(scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min))
    return e * (mask != 0)
