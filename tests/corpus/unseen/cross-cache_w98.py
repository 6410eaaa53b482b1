from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class Memory(NamedTuple):
    keys: Tensor
    values: Tensor
    padding: Tensor


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        if cache is None:
            k, v = self.kv(memory).chunk(2, dim=-1)
            places = torch.arange(memory.size(1), device=memory.device)
            cache = Memory(self.heads(k), self.heads(v), places >= memory_lengths[:, None])
        hidden = torch.arange(memory.size(1), device=x.device) >= memory_lengths[:, None]
        scores = self.heads(self.q(x)) * self.scale @ cache.keys.transpose(2, 3)
        scores = scores.masked_fill(hidden[:, None, None, :], float("-inf"))
        context = scores.softmax(-1) @ cache.values
        return self.o(context.transpose(1, 2).flatten(2)), cache
