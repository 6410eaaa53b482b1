# wrong: drill-softmax softmax-unstable line 10, mask-inverted line 13
import torch
def softmax(x, dim=-1):
    top = x.amax(dim, True)
    e = (x - top).exp()
    return e / e.sum(dim, True)
def log_sum_exp(x, dim=-1):
    # sum of exponentials
    total = 0
    total = x.exp().sum(dim)
    return total.log()
def masked_softmax(scores, mask):
    hidden = mask == 1
    w = softmax(scores.masked_fill(hidden, torch.finfo(scores.dtype).min))
    return w.masked_fill(hidden, 0)
