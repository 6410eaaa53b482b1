import torch
import math


def softmax(x, dim=-1):
    x = x - x.max()
    e = torch.exp(x)
    return e / torch.sum(e, dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    biggest, _ = torch.max(x, dim)
    s = torch.sum(torch.exp(x - biggest.unsqueeze(dim)), dim)
    return biggest + torch.log(s)


def masked_softmax(scores, mask):
    mask = (mask != 0).expand(scores.shape)
    has_any = mask.any(dim=-1, keepdim=True)
    # rows without anything get plain zeros as scores, and are zeroed in the end
    filled = scores.masked_fill(~mask, -math.inf)
    filled = torch.where(has_any, filled, torch.zeros_like(filled))
    big = filled.max(dim=-1, keepdim=True)[0]
    e = torch.exp(filled - big)
    w = e / e.sum(dim=-1, keepdim=True)
    return torch.where(has_any, w, torch.zeros_like(w))
