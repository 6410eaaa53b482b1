import torch
from torch import Tensor


def _stable_exp(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    peak = torch.amax(x, dim, keepdim=True)
    return torch.exp(x - peak), peak


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    num, _ = _stable_exp(x, dim)
    return num / num.sum(dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    num, peak = _stable_exp(x, dim)
    return torch.log(num.sum(dim)) + peak.squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    shown = mask != 0
    num, _ = _stable_exp(scores, -1)
    num = torch.where(shown, num, torch.zeros_like(num))
    total = num.sum(-1, keepdim=True)
    return num / torch.where(total > 0, total, torch.ones_like(total))
