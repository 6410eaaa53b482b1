# attn-kata: drill-softmax
import torch


def _shifted(x, dim):
    top, _ = torch.max(x, dim, keepdim=True)
    return x - top, top


def softmax(x, dim=-1):
    z, _ = _shifted(x, dim)
    e = z.exp()
    return e / e.sum(dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    z, top = _shifted(x, dim)
    return (z.exp().sum(dim, keepdim=True).log() + top).squeeze(dim)


def masked_softmax(scores, mask):
    on = (mask != 0).expand_as(scores)
    # hidden entries get the row's smallest visible-safe number: 0 after the shift
    low = torch.finfo(scores.dtype).min
    top = scores.masked_fill(~on, low).amax(-1, keepdim=True)
    z = torch.where(on, scores - top, torch.zeros_like(scores))
    e = torch.where(on, z.exp(), torch.zeros_like(scores))
    total = e.sum(-1, keepdim=True)
    total = torch.where(total == 0, torch.ones_like(total), total)
    return e / total
