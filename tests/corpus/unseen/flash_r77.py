from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Running:
    peak: Tensor   # largest score so far,      (b, h, n, 1)
    total: Tensor  # sum of exponentials so far (b, h, n, 1)
    out: Tensor    # not yet divided            (b, h, n, d)

    @classmethod
    def start(cls, query: Tensor, value: Tensor) -> "Running":
        column = query.new_zeros(*query.shape[:-1], 1)
        return cls(column - math.inf, column, query.new_zeros(*query.shape[:-1], value.shape[-1]))

    def fold(self, scores: Tensor, value: Tensor, /) -> "Running":
        peak = torch.maximum(self.peak, scores.amax(-1, keepdim=True))
        shrink = torch.exp(self.peak - peak)
        p = torch.exp(scores - peak)
        return Running(peak, shrink * self.total + p.sum(-1, keepdim=True), shrink * self.out + p @ value)

    @property
    def result(self) -> Tensor:
        return self.out / self.total


def tiles(length: int, size: int) -> Iterator[slice]:
    for begin in range(0, length, size):
        yield slice(begin, min(begin + size, length))


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, dim = query.shape[-2:]
    place = torch.arange(length, device=query.device)

    def visit(state: Running, tile: slice) -> Running:
        scores = query @ key[:, :, tile].mT / math.sqrt(dim)
        if causal:
            scores = scores.masked_fill(place[tile] > place[:, None], -math.inf)
        return state.fold(scores, value[:, :, tile])

    # the first tile holds key 0, which every query sees, so the peak is finite from then on
    return functools.reduce(visit, tiles(length, block_size), Running.start(query, value)).result
