# wrong: drill-softmax mask-after-softmax line 19
import torch


def softmax(x, dim=-1):
    shifted = x - x.amax(dim=dim, keepdim=True)
    powers = shifted.exp()
    return powers / powers.sum(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    a = x.amax(dim=dim, keepdim=True)
    s = torch.exp(x - a).sum(dim=dim, keepdim=True)
    return (a + s.log()).squeeze(dim)


def masked_softmax(scores, mask):
    weights = softmax(scores, dim=-1)
    return weights * (mask != 0)
