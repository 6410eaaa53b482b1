# wrong: drill-softmax empty-row-not-zero line 18
# fair: empty-row-not-zero 18, 19
import torch


def softmax(x, dim=-1):
    x_max = x.max(dim=dim, keepdim=True)[0]
    x_exp = torch.exp(x - x_max)
    return x_exp / x_exp.sum(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    x_max = x.max(dim=dim, keepdim=True)[0]
    return (x_max + torch.log(torch.exp(x - x_max).sum(dim=dim, keepdim=True))).squeeze(dim)


def masked_softmax(scores, mask):
    scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    return softmax(scores)
