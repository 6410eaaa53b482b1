from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class Dims(NamedTuple):
    """What the layer is made of."""

    model: int
    h: int

    @property
    def per_head(self) -> int:
        return self.model // self.h


class Memo(NamedTuple):
    """What is kept of a source: one entry per head, and who is padding."""

    keys: tuple[Tensor, ...]  # h x (b, s, e)
    values: tuple[Tensor, ...]
    hidden: Tensor  # (b, 1, s)


class CachedCrossAttention(nn.Module):
    def __init__(self, dims: Dims) -> None:
        super().__init__()
        self.dims = dims
        e = dims.per_head
        self.ask = nn.ModuleList(nn.Linear(dims.model, e) for _ in range(dims.h))
        self.tell = nn.ModuleList(nn.Linear(dims.model, 2 * e) for _ in range(dims.h))
        self.out = nn.Linear(dims.h * e, dims.model)

    def memorise(self, memory: Tensor, lengths: Tensor) -> Memo:
        keys, values = zip(*(tell(memory).chunk(2, dim=-1) for tell in self.tell))
        place = torch.arange(memory.size(1), device=memory.device)
        hidden = place[None, None, :] >= lengths.to(memory.device)[:, None, None]
        return Memo(keys, values, hidden)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        memo = self.memorise(memory, memory_lengths) if cache is None else cache
        heads = []
        for ask, key, value in zip(self.ask, memo.keys, memo.values):
            scores = ask(x) @ key.transpose(1, 2) / self.dims.per_head**0.5
            scores = scores.masked_fill(memo.hidden, float("-inf"))
            heads.append(scores.softmax(dim=2) @ value)
        return self.out(torch.cat(heads, dim=2)), memo
