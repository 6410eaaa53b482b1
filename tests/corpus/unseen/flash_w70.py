from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

NEGATIVE_INFINITY = float("-inf")


@dataclass
class SoftmaxState:
    maximum: Tensor
    denominator: Tensor
    numerator: Tensor

    @classmethod
    def empty(cls, query: Tensor) -> SoftmaxState:
        column = query[..., :1]
        return cls(
            maximum=torch.full_like(column, torch.finfo(query.dtype).min),
            denominator=torch.zeros_like(column),
            numerator=torch.zeros_like(query),
        )

    def update(self, scores: Tensor, value: Tensor) -> None:
        tile_maximum = scores.amax(dim=-1, keepdim=True)
        new_maximum = torch.maximum(self.maximum, tile_maximum)
        self.maximum = new_maximum
        correction = torch.exp(self.maximum - new_maximum)
        exponentials = torch.exp(scores - new_maximum)
        self.denominator = correction * self.denominator + exponentials.sum(dim=-1, keepdim=True)
        self.numerator = correction * self.numerator + exponentials @ value

    def finish(self) -> Tensor:
        return self.numerator / self.denominator


@dataclass(frozen=True)
class TileScorer:
    block_size: int
    causal: bool

    def __call__(self, query: Tensor, key_tile: Tensor, start: int) -> Tensor:
        scores = query @ key_tile.transpose(-2, -1) * query.size(-1) ** -0.5
        if not self.causal:
            return scores
        rows = torch.arange(query.size(-2), device=query.device).unsqueeze(1)
        columns = torch.arange(start, start + key_tile.size(-2), device=query.device)
        return scores.masked_fill(columns > rows, NEGATIVE_INFINITY)


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    scorer = TileScorer(block_size, causal)
    state = SoftmaxState.empty(query)
    for start in range(0, key.size(-2), block_size):
        stop = start + block_size
        state.update(scorer(query, key[..., start:stop, :], start), value[..., start:stop, :])
    return state.finish()
