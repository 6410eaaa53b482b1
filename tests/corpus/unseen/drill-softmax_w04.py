import torch


def softmax(x, dim=-1):
    z = (x - x.amax(dim, keepdim=True)).exp()
    return z.div(z.sum(dim, keepdim=True))


def log_sum_exp(x, dim=-1):
    top = x.amax(dim, keepdim=True)
    return ((x - top).exp().sum(dim, keepdim=True).log() + top).squeeze(dim)


def masked_softmax(scores, mask):
    bias = mask.to(scores.dtype).log()  # 0 or -inf
    peak = (scores + bias).amax(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    ex = (scores - peak + bias).exp()
    return (ex / ex.sum(-1, keepdim=True)).nan_to_num(nan=0.0)
