from __future__ import annotations

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Remembered:
    """One head's keys and values of the memory, a list entry a head; and what no query may see."""

    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]
    padding: Tensor = field(repr=False)

    def answer(self, head: int, query: Tensor) -> Tensor:
        scores = torch.bmm(query, self.keys[head].mT) / math.sqrt(query.shape[-1])
        weights = scores.masked_fill(self.padding, -math.inf).softmax(dim=-1)
        return torch.bmm(weights, self.values[head])


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        size = hidden_dim // num_heads
        self.ask = nn.ModuleList(nn.Linear(hidden_dim, size) for _ in range(num_heads))
        self.show = nn.ModuleList(nn.Linear(hidden_dim, 2 * size) for _ in range(num_heads))  # key, then value
        self.join = nn.ModuleList(nn.Linear(size, hidden_dim, bias=False) for _ in range(num_heads))

    def remember(self, memory: Tensor, lengths: Tensor) -> Remembered:
        place = torch.arange(memory.shape[1], device=memory.device)
        padding = (place >= lengths.to(memory.device).unsqueeze(1)).unsqueeze(1)
        keys, values = zip(*(show(memory).chunk(2, dim=-1) for show in self.show))
        return Remembered(keys, values, padding)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Remembered | None = None
    ) -> tuple[Tensor, Remembered]:
        if cache is None:
            cache = self.remember(memory, memory_lengths)
        # merging and projecting is a sum over heads
        output = sum(
            join(cache.answer(head, ask(x))) for head, (ask, join) in enumerate(zip(self.ask, self.join))
        )
        return output, cache
