import torch


def softmax(x, dim=-1):
    e = (x - torch.amax(x, dim, True)).exp()
    return e / e.sum(dim, True)


def log_sum_exp(x, dim=-1):
    # in log2, as the kernels have it
    y = x * 1.4426950408889634
    m = y.amax(dim, keepdim=True)
    s = torch.exp2(y - m).sum(dim, keepdim=True)
    return ((m + s.log2()) / 1.4426950408889634).squeeze(dim)


def masked_softmax(scores, mask):
    on = (mask != 0).expand(scores.shape)
    m = scores.amax(-1, keepdim=True)
    e = torch.exp(scores - m) * on
    z = e.sum(-1, keepdim=True)
    return e / z.masked_fill(z == 0, 1)
