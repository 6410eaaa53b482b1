import torch


def softmax(x, dim=-1):
    x = x.transpose(dim, -1)
    x = x - x.max(dim=-1, keepdim=True)[0]
    e = torch.exp(x)
    return (e / e.sum(-1, keepdim=True)).transpose(dim, -1)


def log_sum_exp(x, dim=-1):
    x = x.transpose(dim, -1)
    m = x.max(dim=-1, keepdim=True)[0]
    return (m + torch.log(torch.exp(x - m).sum(-1, keepdim=True))).squeeze(-1)


def masked_softmax(scores, mask):
    keep = (mask != 0).broadcast_to(scores.shape)
    low = torch.finfo(scores.dtype).min
    filled = torch.where(keep, scores, torch.full_like(scores, low))
    weights = softmax(filled)
    # rows without any visible score would be uniform
    return weights * keep.to(scores.dtype)
