# wrong: drill-softmax max-over-hidden line 15
# fair: max-over-hidden 15, 16, 17
import torch


def softmax(x, dim=-1):
    shifted = (x - x.amax(dim, keepdim=True)).exp()
    return shifted / shifted.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    return softmax_log(x, dim)

def masked_softmax(scores, mask):
    every = softmax(scores)
    shown = every * (mask != 0)
    return shown / (shown.sum(-1, keepdim=True) + 1e-13)


def softmax_log(x, dim):
    top = x.amax(dim, keepdim=True)
    return ((x - top).exp().sum(dim, keepdim=True).log() + top).squeeze(dim)
