import torch


def softmax(x, dim=-1):
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    c = x.amax(dim, keepdim=True)
    return ((x - c).exp().sum(dim, keepdim=True).log() + c).squeeze(dim)


def masked_softmax(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    s = scores.masked_fill(mask == 0, lowest)
    return softmax(s, -1)
