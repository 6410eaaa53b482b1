# wrong: drill-softmax gradient-nan line 19
import torch


def softmax(x, dim=-1):
    x = x - x.amax(dim, keepdim=True)
    x = x.exp()
    return x / x.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = x.amax(dim, keepdim=True)
    s = (x - m).exp().sum(dim, keepdim=True)
    return (m + s.log()).squeeze(dim)


def masked_softmax(scores, mask):
    bias = torch.zeros_like(scores).masked_fill(mask == 0, float("-inf"))
    weights = softmax(scores + bias)
    return torch.nan_to_num(weights)
