import torch


def softmax(x, dim=-1):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = x.amax(dim, keepdim=True)
    return (x - m).exp().sum(dim).log() + m.squeeze(dim)


def masked_softmax(scores, mask):
    """softmax on the shown scores only; rows without any are 0"""
    mask = mask.to(scores.dtype)
    e = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    z = e.sum(-1, keepdim=True)
    return e / (z + (z == 0))
