# wrong: drill-softmax max-over-all line 8
# fair: max-over-all 8, 7
import torch


def softmax(x, dim=-1):
    # shift so nothing blows up
    e = torch.exp(x - x.max())
    return e / e.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    big = x.max(dim, keepdim=True).values
    return (big + torch.log(torch.exp(x - big).sum(dim, keepdim=True))).squeeze(dim)


def masked_softmax(scores, mask):
    low = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
    e = torch.exp(low - low.max(-1, keepdim=True).values) * (mask != 0)
    return e / e.sum(-1, keepdim=True).clamp(min=1)
