# wrong: drill-softmax max-over-hidden line 19
import torch


def softmax(x, dim=-1):
    x = x - x.max(dim=dim, keepdim=True).values
    x = x.exp()
    return x / x.sum(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    c = x.max(dim=dim).values
    return c + torch.log(torch.sum(torch.exp(x - c.unsqueeze(dim)), dim=dim))


def masked_softmax(scores, mask):
    m = mask.to(scores.dtype)
    scores = scores * m
    scores = scores - scores.max(dim=-1, keepdim=True).values
    num = torch.exp(scores) * m
    den = num.sum(dim=-1, keepdim=True)
    return num / (den + (den == 0))
