import torch
from torch import Tensor, inf


def _stable_exp(x: Tensor, dim: int):
    m = torch.amax(x, dim, keepdim=True)
    return (x - m).exp(), m


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    e, _ = _stable_exp(x, dim)
    return e.div(e.sum(dim, keepdim=True, dtype=torch.promote_types(e.dtype, torch.float32))).to(x.dtype)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    e, m = _stable_exp(x, dim)
    return torch.add(e.sum(dim).log(), m.squeeze(dim))


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    on = mask.bool().expand_as(scores)
    any_on = on.any(dim=-1, keepdim=True)
    hidden = torch.where(on, scores, scores.new_tensor(-inf))
    # empty rows become all-zero rows first, so that no nan is ever made
    hidden = torch.where(any_on, hidden, torch.zeros_like(scores))
    return softmax(hidden).masked_fill(any_on.logical_not(), 0.0)
