import torch


def softmax(x, dim=-1):
    x = x - torch.max(x, dim=dim, keepdim=True).values
    x = torch.exp(x)
    return x / torch.sum(x, dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = torch.max(x, dim=dim, keepdim=True).values
    return m.squeeze(dim) + torch.log(torch.exp(x - m).sum(dim=dim))


def masked_softmax(scores, mask):
    keep = (mask != 0).expand_as(scores)
    filled = torch.where(keep, scores, torch.finfo(scores.dtype).min)
    return softmax(filled) * keep
