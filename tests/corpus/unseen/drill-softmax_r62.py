from __future__ import annotations

import torch
from torch import Tensor


class Running:
    """Streaming (max, sum) along axis 0, one slice at a time: an online log-sum-exp."""

    def __init__(self, first: Tensor) -> None:
        self.top = first
        self.total = torch.ones_like(first)

    def push(self, item: Tensor) -> None:
        top = torch.maximum(self.top, item)
        self.total = self.total * (self.top - top).exp() + (item - top).exp()
        self.top = top

    def finish(self) -> Tensor:
        return self.top + self.total.log()


def _lse(x: Tensor, dim: int) -> Tensor:
    first, *rest = x.unbind(dim)
    run = Running(first)
    for item in rest:
        run.push(item)
    return run.finish()


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    return _lse(x.to(torch.float64), dim).to(x.dtype)


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    wide = x.to(torch.float64)
    return (wide - _lse(wide, dim).unsqueeze(dim)).exp().to(x.dtype)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    visible = mask.bool().broadcast_to(scores.shape)
    empty = ~visible.any(dim=-1, keepdim=True)
    wide = scores.to(torch.float64)
    # an empty row is given zeros to chew on; its answer is thrown away below
    wide = wide.masked_fill(~visible, float("-inf")).masked_fill(empty, 0.0)
    shares = wide.sub(wide.max(dim=-1, keepdim=True)[0]).exp()
    shares = shares / shares.sum(dim=-1, keepdim=True)
    return shares.masked_fill(empty, 0.0).to(scores.dtype)
