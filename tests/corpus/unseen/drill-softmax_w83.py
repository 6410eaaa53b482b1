import torch


def _shifted(x, dim):
    m = torch.max(x, dim=dim, keepdim=True)[0]
    return m, torch.exp(x - m)


def softmax(x, dim=-1):
    _, e = _shifted(x, dim)
    return e / torch.sum(e, dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m, e = _shifted(x, dim)
    out = m + torch.log(torch.sum(e, dim=dim, keepdim=True))
    return out.squeeze()


def masked_softmax(scores, mask):
    keep = mask != 0
    filled = torch.where(keep, scores, torch.full_like(scores, torch.finfo(scores.dtype).min))
    weights = softmax(filled, dim=-1)
    return torch.where(keep, weights, torch.zeros_like(weights))
