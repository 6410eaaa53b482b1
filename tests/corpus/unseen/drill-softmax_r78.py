from __future__ import annotations

import torch
from torch import Tensor


def _exps(x: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor]:
    """Maximum, exponentials and their sum along dim, all with the axis kept."""
    top = x.detach().max(dim=dim, keepdim=True).values
    e = torch.exp(x - top)
    return top, e, e.sum(dim=dim, keepdim=True)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    _, e, total = _exps(x, dim)
    return e / total


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    top, _, total = _exps(x, dim)
    return (top + total.log()).squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    counts = (mask != 0).expand_as(scores)
    some = counts.any(dim=-1, keepdim=True)
    # in an empty row nothing is hidden for the moment, so that no -inf - -inf arises
    hidden = ~counts & some
    weights = softmax(scores.masked_fill(hidden, -torch.inf))
    return weights.masked_fill(~some, 0)
