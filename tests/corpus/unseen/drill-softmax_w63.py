import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    x = x - x.max(dim, keepdim=True)[0]
    x = x.exp()
    return x / x.sum(dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    c = x.max(dim, keepdim=True)[0]
    return (x - c).exp().sum(dim, keepdim=True).log().add(c).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    # log(1) = 0 keeps a score, log(0) = -inf removes it
    bias = mask.to(scores.dtype).log()
    weights = softmax(scores + bias, dim=-1)
    # fillna(0) for the rows without any key
    return torch.nan_to_num(weights, nan=0.0)
