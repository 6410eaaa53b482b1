import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    numerator = torch.exp(x - torch.amax(x, dim=dim, keepdim=True))
    return numerator / torch.sum(numerator, dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    biggest = torch.amax(x, dim=dim, keepdim=True)
    total = torch.sum(torch.exp(x - biggest), dim=dim, keepdim=True)
    return torch.squeeze(biggest + torch.log(total), dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    keep = mask.to(torch.bool)
    logits = scores + torch.zeros_like(keep, dtype=scores.dtype).masked_fill(torch.logical_not(keep), float("-inf"))
    weights = softmax(logits, dim=-1)
    # rows without any visible entry
    return torch.where(torch.isnan(weights), torch.zeros_like(weights), weights)
