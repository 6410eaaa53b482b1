# wrong: drill-softmax mask-inverted line 19
import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    shifted = x - torch.amax(x, dim, keepdim=True).detach()
    unnormalized = shifted.exp()
    return unnormalized.div(unnormalized.sum(dim, keepdim=True))


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    top = x.amax(dim, keepdim=True)
    total = torch.exp(x - top).sum(dim, keepdim=True)
    return (top + torch.log(total)).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    keep = (mask == 0).expand_as(scores)
    top = torch.where(keep, scores, -torch.inf).amax(-1, keepdim=True)
    top = torch.where(top.isinf(), torch.zeros_like(top), top)
    e = torch.where(keep, torch.exp(torch.where(keep, scores - top, 0.0)), 0.0)
    total = e.sum(-1, keepdim=True)
    return e / torch.where(total == 0, 1.0, total)
