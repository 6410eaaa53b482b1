import torch


def _shift(x, dim):
    return x - x.max(dim, keepdim=True)[0]


def softmax(x, dim=-1):
    num = _shift(x, dim).exp()
    return num.div(num.sum(dim, keepdim=True))


def log_sum_exp(x, dim=-1):
    return _shift(x, dim).exp().sum(dim).log()


def masked_softmax(scores, mask):
    hidden = (mask == 0).expand_as(scores)
    none = hidden.all(-1, keepdim=True)
    logits = scores.masked_fill(hidden, -float("inf")).masked_fill(none, 0)
    return softmax(logits, -1) * (~none)
