from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class Memory(NamedTuple):
    key: Tensor
    value: Tensor


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def _read(self, memory: Tensor) -> Memory:
        return Memory(self._heads(self.k(memory)), self._heads(self.v(memory)))

    @staticmethod
    def _padding(lengths: Tensor, size: int) -> Tensor:
        return torch.arange(size, device=lengths.device) >= lengths[:, None, None, None]

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        if cache is None:
            cache = self._read(memory)
        kept = cache
        query = self._heads(self.q(x))
        scores = query @ kept.key.mT / math.sqrt(self.head_dim)
        hidden = self._padding(memory_lengths, kept.key.shape[2])
        weights = scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(-1)
        merged = (weights @ kept.value).transpose(1, 2).flatten(2)
        return self.o(merged), cache
