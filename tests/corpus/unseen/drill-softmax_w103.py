import torch


def softmax(x, dim=-1):
    e = torch.exp(x - x.max(dim=dim, keepdim=True).values)
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    m = x.max(dim=dim, keepdim=True).values
    return (m + (x - m).exp().sum(dim=dim, keepdim=True).log()).squeeze()


def masked_softmax(scores, mask):
    mask = mask.bool().expand_as(scores)
    any_seen = mask.any(dim=-1, keepdim=True)
    filled = scores.masked_fill(~mask, float("-inf")).masked_fill(~any_seen, 0.0)
    return softmax(filled).masked_fill(~any_seen, 0.0)
