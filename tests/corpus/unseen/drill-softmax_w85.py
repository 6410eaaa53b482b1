import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    m, _ = torch.max(x, dim=dim, keepdim=True)
    e = torch.exp(x - m)
    return e / torch.sum(e, dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    m = x.max(dim=dim, keepdim=True)
    return (m + (x - m).exp().sum(dim=dim, keepdim=True).log()).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    m = mask.to(dtype=torch.bool, device=scores.device).expand(scores.shape)
    s = scores.masked_fill(~m, torch.finfo(scores.dtype).min)
    out = softmax(s, -1)
    # rows where nothing counts
    return out.masked_fill(~m, 0.0)
