import torch


def softmax(x, dim=-1):
    x_max = torch.max(x, dim=dim, keepdim=True).values
    x_exp = torch.exp(x - x_max)
    return x_exp / torch.sum(x_exp, dim=dim, keepdim=True)


def log_sum_exp(x, dim=-1):
    x_max = torch.max(x, dim=dim, keepdim=True).values
    total = torch.sum(torch.exp(x - x_max), dim=dim)
    return x_max.squeeze(dim) + torch.log(total)


def masked_softmax(scores, mask):
    keep = mask.to(torch.bool)
    bias = torch.zeros_like(keep, dtype=scores.dtype).masked_fill(keep.logical_not(), -torch.inf)
    weights = softmax(scores + bias, dim=-1)
    # rows without any key give nan, they are to be 0
    return torch.nan_to_num(weights, nan=0.0)
