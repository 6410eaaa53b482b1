from __future__ import annotations

import torch
from torch import Tensor


def _shifted_exp(x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    top, _ = torch.max(x, axis, keepdim=True)
    return torch.exp(x.sub(top)), top


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    # work on the last axis, put it back afterwards
    rows = x.transpose(dim, -1)
    e, _ = _shifted_exp(rows, -1)
    total = torch.einsum("...n->...", e)
    return (e / total.unsqueeze(-1)).transpose(dim, -1)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    rows = torch.movedim(x, dim, -1)
    e, top = _shifted_exp(rows, -1)
    return top[..., 0] + e.sum(-1).log()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    shown = (mask != 0).expand(scores.shape)
    # a stand-in for the empty rows, so that every row has something to normalise
    empty = ~shown.any(dim=-1, keepdim=True)
    usable = scores.masked_fill(~shown, -torch.inf).masked_fill(empty, 0.0)
    e, _ = _shifted_exp(usable, -1)
    return (e / e.sum(dim=-1, keepdim=True)).masked_fill(empty, 0.0)
