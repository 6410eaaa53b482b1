from __future__ import annotations

import math

import torch
from torch import Tensor


class Running:
    """What a block of queries keeps between the tiles of keys."""

    def __init__(self, query: Tensor) -> None:
        rows = query.shape[:-1]
        self.top = query.new_zeros(*rows, 1)
        self.total = query.new_zeros(*rows, 1)
        self.out = torch.zeros_like(query)

    def add(self, scores: Tensor, value: Tensor) -> None:
        top = torch.maximum(self.top, scores.amax(dim=-1, keepdim=True))
        shrink = torch.exp(self.top - top)
        p = torch.exp(scores - top)
        self.total = shrink * self.total + p.sum(dim=-1, keepdim=True)
        self.out = shrink * self.out + p @ value
        self.top = top

    def result(self) -> Tensor:
        return self.out / self.total


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    length, dim = query.shape[-2:]
    state = Running(query)
    at = torch.arange(length, device=query.device)
    for start in range(0, length, block_size):
        tile = slice(start, min(start + block_size, length))
        scores = query @ key[..., tile, :].mT / math.sqrt(dim)
        if causal:
            scores = scores.masked_fill(at[tile] > at[:, None], -math.inf)
        state.add(scores, value[..., tile, :])
    return state.result()
