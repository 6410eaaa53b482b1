import torch


def softmax(x, dim=-1):
    e = torch.exp(x - torch.amax(x, dim=dim, keepdim=True))
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = torch.amax(x, dim=dim, keepdim=True)
    return (m + (x - m).exp().sum(dim=dim, keepdim=True).log()).squeeze(dim)


def masked_softmax(scores, mask):
    keep = mask.bool().expand_as(scores)
    # largest visible score; rows without any get 0 so that no inf - inf arises
    top = scores.detach().masked_fill(~keep, float("-inf")).amax(-1, keepdim=True)
    top = top.masked_fill(top.isinf(), 0)
    shifted = (scores - top).masked_fill(~keep, 0)
    e = shifted.exp() * keep
    total = e.sum(-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1)
