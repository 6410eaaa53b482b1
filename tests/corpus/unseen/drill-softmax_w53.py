import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    x = x - torch.amax(x, dim=dim, keepdim=True)
    x = x.exp()
    return x / x.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    top = x.amax(dim=dim)
    return top + (x - top.unsqueeze(dim)).exp().sum(dim=dim).log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    hidden = scores + mask.to(scores.dtype).log()  # 0 或 -inf
    weights = softmax(hidden, dim=-1)
    # 没有可见的键时整行是 NaN,换成 0
    return torch.where(torch.isnan(weights), torch.zeros_like(weights), weights)
