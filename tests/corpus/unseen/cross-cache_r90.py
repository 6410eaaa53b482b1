from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class MemoryKV(NamedTuple):
    """What the first call leaves for all others; nobody writes into it."""

    key: Tensor  # (batch, heads, memory_length, head_dim)
    value: Tensor  # (batch, heads, memory_length, head_dim)
    is_padding: Tensor  # (batch, 1, 1, memory_length)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key_value = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def remember(self, memory: Tensor, memory_lengths: Tensor) -> MemoryKV:
        key, value = self.key_value(memory).chunk(2, dim=-1)
        index = torch.arange(memory.size(1), device=memory.device)
        is_padding = index.view(1, 1, 1, -1) >= memory_lengths.to(memory.device).view(-1, 1, 1, 1)
        return MemoryKV(self.split(key), self.split(value), is_padding)

    def split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: MemoryKV | None = None
    ) -> tuple[Tensor, MemoryKV]:
        if cache is None:
            cache = self.remember(memory, memory_lengths)
        query = self.split(self.query(x))
        scores = query @ cache.key.transpose(-2, -1) * self.head_dim**-0.5
        weights = scores.masked_fill(cache.is_padding, float("-inf")).softmax(dim=-1)
        context = (weights @ cache.value).transpose(1, 2).flatten(2)
        return self.output(context), cache
