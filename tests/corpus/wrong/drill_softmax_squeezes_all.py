# wrong: drill-softmax squeeze-without-axis line 13
import torch


def softmax(x, dim=-1):
    e = torch.exp(x - torch.amax(x, dim, keepdim=True))
    return e / torch.sum(e, dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    peak = torch.amax(x, dim, keepdim=True)
    logs = torch.log(torch.sum(torch.exp(x - peak), dim, keepdim=True))
    return torch.squeeze(logs + peak)


def masked_softmax(scores, mask):
    keep = mask.bool()
    hidden = scores.masked_fill(~keep, -torch.inf)
    peak = hidden.amax(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    e = (hidden - peak).exp()
    total = e.sum(-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1)
