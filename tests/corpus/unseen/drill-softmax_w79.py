import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    maximum, _ = torch.max(x, dim=dim, keepdim=True)
    exps = torch.exp(x - maximum)
    return exps / torch.sum(exps, dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    maximum, _ = torch.max(x, dim=dim, keepdim=True)
    total = torch.sum(torch.exp(x - maximum), dim=dim, keepdim=True)
    return torch.squeeze(maximum + torch.log(total), dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    masked = scores.masked_fill(mask == 0, float("-inf"))
    return softmax(masked, dim=-1)
