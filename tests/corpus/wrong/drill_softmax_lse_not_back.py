# wrong: drill-softmax max-not-added-back line 13
import torch


def softmax(x, dim=-1):
    z = (x - x.amax(dim=dim, keepdim=True)).exp()
    return z / z.sum(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    top = x.amax(dim=dim, keepdim=True)
    z = torch.exp(x - top)
    return torch.log(z.sum(dim=dim))


def masked_softmax(scores, mask):
    gone = (mask == 0).expand_as(scores)
    z = softmax(scores.masked_fill(gone, torch.finfo(scores.dtype).min))
    return z.masked_fill(gone, 0)
