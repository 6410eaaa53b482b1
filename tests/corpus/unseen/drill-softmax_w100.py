import torch


def softmax(x, dim=-1):
    x_max = torch.max(x, dim=dim, keepdim=True).values
    x_exp = torch.exp(x - x_max)
    return x_exp / torch.sum(x_exp, dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    x_max = torch.max(x, dim=dim, keepdim=True).values
    x_exp = torch.exp(x - x_max)
    return (x_max + torch.log(torch.sum(x_exp, dim=dim, keepdim=True))).squeeze()


def masked_softmax(scores, mask):
    keep = mask.bool().expand_as(scores)
    scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
    weights = softmax(scores, dim=-1)
    return weights.masked_fill(~keep, 0.0)
