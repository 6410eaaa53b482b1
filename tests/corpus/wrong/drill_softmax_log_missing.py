# wrong: drill-softmax log-missing line 9
import torch
def softmax(x, dim=-1):
    z = x - x.max(dim=dim, keepdim=True).values
    return z.exp() / z.exp().sum(dim=dim, keepdim=True)
def log_sum_exp(x, dim=-1):
    m = x.max(dim=dim, keepdim=True).values
    s = (x - m).exp().sum(dim=dim)
    return s + m.squeeze(dim)
def masked_softmax(scores, mask):
    return softmax(scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)) * (mask != 0)
