from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Tile:
    start: int
    stop: int

    def of(self, t: Tensor) -> Tensor:
        return t[:, :, self.start : self.stop]

    def positions(self, device: torch.device) -> Tensor:
        return torch.arange(self.start, self.stop, device=device)


def tiles(length: int, block_size: int) -> Iterator[Tile]:
    for start in range(0, length, block_size):
        yield Tile(start, min(start + block_size, length))


class RunningSoftmax:
    """What one tile of queries remembers between tiles of keys."""

    def __init__(self, query: Tensor) -> None:
        shape = (*query.shape[:-1], 1)
        self.peak = query.new_full(shape, torch.finfo(query.dtype).min)
        self.total = query.new_zeros(shape)
        self.output = torch.zeros_like(query)

    def absorb(self, scores: Tensor, value: Tensor) -> None:
        peak = torch.maximum(self.peak, scores.amax(dim=-1, keepdim=True))
        shrink = torch.exp(self.peak - peak)
        weights = torch.exp(scores - peak)
        self.total = self.total * shrink + weights.sum(dim=-1, keepdim=True)
        self.output = self.output * shrink + weights @ value
        self.peak = peak

    def result(self) -> Tensor:
        return self.output / self.total


class FlashForward:
    def __init__(self, block_size: int, causal: bool) -> None:
        self.block_size, self.causal = block_size, causal

    def __call__(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        length = query.shape[2]
        done = [
            self._one_tile(rows, query, key, value) for rows in tiles(length, self.block_size)
        ]
        return torch.cat(done, dim=2)

    def _one_tile(self, rows: Tile, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        q = rows.of(query) / math.sqrt(query.shape[-1])
        state = RunningSoftmax(q)
        for columns in tiles(key.shape[2], self.block_size):
            if self.causal and columns.start >= rows.stop:
                break
            scores = q @ columns.of(key).mT
            if self.causal:
                i, j = rows.positions(q.device), columns.positions(q.device)
                scores = scores.masked_fill(j > i[:, None], float("-inf"))
            state.absorb(scores, columns.of(value))
        return state.result()


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    return FlashForward(block_size, causal)(query, key, value)
