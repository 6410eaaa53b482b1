# right: cross-cache
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class MemoryCache:
    key: Tensor
    value: Tensor
    hidden: Tensor


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def _split(self, states: Tensor) -> Tensor:
        return states.view(*states.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def _build(self, memory: Tensor, memory_lengths: Tensor) -> MemoryCache:
        places = torch.arange(memory.shape[1], device=memory.device)
        return MemoryCache(
            key=self._split(self.key_proj(memory)).mT.contiguous(),
            value=self._split(self.value_proj(memory)),
            hidden=(places[None, :] >= memory_lengths[:, None])[:, None, None, :],
        )

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        memory_lengths: Tensor | None = None,
        cache: MemoryCache | None = None,
    ) -> tuple[Tensor, MemoryCache]:
        if cache is None:
            cache = self._build(memory, memory_lengths)
        query = self._split(self.query_proj(x))
        scores = query @ cache.key / math.sqrt(self.head_dim)
        scores = scores.masked_fill(cache.hidden, -math.inf)
        context = scores.softmax(dim=-1) @ cache.value
        return self.output_proj(context.transpose(1, 2).reshape(x.shape)), cache
