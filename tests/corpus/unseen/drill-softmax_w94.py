import torch


def softmax(x, dim=-1):
    z = x - torch.max(x, dim, keepdim=True).values
    z = torch.exp(z)
    return z / torch.sum(z, dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = torch.max(x, dim, keepdim=True).values
    s = torch.sum(torch.exp(x - m), dim, keepdim=True)
    return (m + torch.log(s)).squeeze(dim)


def masked_softmax(scores, mask):
    keep = mask.to(torch.bool)
    penalty = torch.zeros_like(scores).masked_fill(~keep, float("-inf"))
    w = softmax(scores + penalty, -1)
    return torch.nan_to_num(w, nan=0.0)
