from __future__ import annotations

from typing import Iterator

import torch
from torch import Tensor

WIDTH = 4


class Running:
    """Largest score so far, and the sum of exponentials measured from it."""

    def __init__(self, like: Tensor) -> None:
        self.top = torch.full_like(like, -torch.inf)
        self.sum = torch.zeros_like(like)

    def take(self, s: Tensor) -> None:
        new = torch.maximum(self.top, s.amax(-1, keepdim=True))
        self.sum = self.sum * torch.exp(self.top - new) + torch.exp(s - new).sum(-1, keepdim=True)
        self.top = new


def _tiles(s: Tensor) -> Iterator[Tensor]:
    yield from s.split(WIDTH, dim=-1)


def _stats(s: Tensor) -> Running:
    run = Running(s[..., :1])
    for tile in _tiles(s):
        run.take(tile)
    return run


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    x = x.movedim(dim, -1)
    run = _stats(x)
    return (torch.exp(x - run.top) / run.sum).movedim(-1, dim)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    run = _stats(x.movedim(dim, -1))
    return (run.top + run.sum.log())[..., 0]


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    seen = (mask != 0).expand_as(scores)
    any_seen = seen.any(dim=-1, keepdim=True)
    # rows with nothing to see are kept whole, and cleared at the end
    s = scores.masked_fill(any_seen & ~seen, -torch.inf)
    run = _stats(s)
    return (torch.exp(s - run.top) / run.sum).masked_fill(~any_seen, 0.0)
