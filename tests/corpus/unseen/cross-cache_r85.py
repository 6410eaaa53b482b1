from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Memory(NamedTuple):
    key: Tensor  # (batch, heads, head_dim, source): turned already
    value: Tensor  # (batch, heads, source, head_dim)
    hidden: Tensor  # (batch, 1, 1, source)


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.merge = nn.Linear(hidden_dim, hidden_dim)

    def read(self, memory: Tensor, memory_lengths: Tensor) -> Memory:
        place = torch.arange(memory.size(1), device=memory.device)
        hidden = place >= memory_lengths.to(memory.device).unsqueeze(-1)
        key = self.key(memory).unflatten(-1, (self.num_heads, -1)).permute(0, 2, 3, 1)
        value = self.value(memory).unflatten(-1, (self.num_heads, -1)).permute(0, 2, 1, 3)
        return Memory(key, value, hidden[:, None, None])

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Memory | None = None
    ) -> tuple[Tensor, Memory]:
        cache = cache or self.read(memory, memory_lengths)
        query = self.query(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        scores = query @ cache.key / query.size(-1) ** 0.5
        weights = scores.masked_fill(cache.hidden, float("-inf")).softmax(dim=-1)
        return self.merge((weights @ cache.value).transpose(1, 2).flatten(2)), cache
