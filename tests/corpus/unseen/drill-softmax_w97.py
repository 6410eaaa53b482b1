import torch

# everything by hand

def softmax(x, dim=-1):
    y = (x - x.max(dim, True)[0]).exp()
    return y / y.sum(dim, True)

def log_sum_exp(x, dim=-1):
    c = x.max(dim, True)[0]
    return torch.log(torch.exp(x - c).sum(dim)) + c.squeeze(dim)

def masked_softmax(scores, mask):
    s = scores * mask.to(scores.dtype)
    hidden = s == 0
    s = s.masked_fill(hidden, float('-inf'))
    m = s.max(-1, True)[0]
    m = m.masked_fill(m == float('-inf'), 0)
    y = (s - m).exp()
    z = y.sum(-1, True)
    return y / (z + (z == 0))
