import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e = torch.exp(x - x.amax(dim=dim, keepdim=True))
    return e / e.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    top = x.amax(dim=dim, keepdim=True)
    total = torch.exp(x - top).sum(dim=dim)
    return total.log() + top.squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Exponentials of what is hidden are set to 0; the division minds empty rows."""
    shown = (mask != 0).expand(scores.shape)
    top = scores.amax(dim=-1, keepdim=True)
    e = torch.exp(scores - top).masked_fill(~shown, 0.0)
    total = e.sum(dim=-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1.0)
