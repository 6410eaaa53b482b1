# wrong: drill-softmax max-over-all line 23
import torch


def _peak(x):
    # one number for each sample is enough: any constant cancels
    return x.flatten(1).max(dim=1).values.view(-1, *[1] * (x.dim() - 1))


def softmax(x, dim=-1):
    e = torch.exp(x - x.max(dim=dim, keepdim=True)[0])
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = x.max(dim=dim, keepdim=True)[0]
    return torch.log(torch.exp(x - m).sum(dim=dim)) + m.squeeze(dim)


def masked_softmax(scores, mask):
    mask = torch.as_tensor(mask, device=scores.device) != 0
    s = torch.where(mask, scores, scores.new_tensor(torch.finfo(scores.dtype).min))
    s = s - _peak(s)
    e = torch.where(mask, torch.exp(s), torch.zeros_like(s))
    z = e.sum(dim=-1, keepdim=True)
    empty = ~mask.expand_as(s).any(dim=-1, keepdim=True)
    return e / z.masked_fill(empty, 1)
