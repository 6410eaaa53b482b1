import torch
from torch import Tensor


def _parts(x: Tensor, dim: int):
    peak = torch.sort(x.detach(), dim=dim, descending=True).values.narrow(dim, 0, 1)
    powers = torch.exp(x - peak)
    return peak, powers, powers.sum(dim, keepdim=True)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    _, powers, total = _parts(x, dim)
    return powers * total.reciprocal() if x.dtype == torch.float64 else powers / total


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    peak, _, total = _parts(x, dim)
    return (peak + total.log()).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    counts = mask.to(torch.bool).expand_as(scores)
    lowest = torch.finfo(scores.dtype).min
    peak = torch.where(counts, scores, lowest).amax(-1, keepdim=True).detach()
    # hidden places get exponent 0, so nothing is infinite on the way back either
    exponent = torch.where(counts, scores - torch.where(counts, peak, scores), 0)
    powers = exponent.exp() * counts
    total = powers.sum(-1, keepdim=True)
    return powers / total.clamp(min=1)
