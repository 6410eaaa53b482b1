from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class EncodedMemory:
    keys: Tensor
    values: Tensor
    hidden: Optional[Tensor] = None


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.memory_proj = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def _heads(self, t: Tensor) -> Tensor:
        return t.view(t.size(0), t.size(1), self.num_heads, self.head_dim).transpose(1, 2)

    def _encode(self, memory: Tensor) -> EncodedMemory:
        keys, values = self.memory_proj(memory).chunk(2, dim=-1)
        return EncodedMemory(self._heads(keys), self._heads(values))

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Optional[EncodedMemory] = None):
        hidden = None
        if cache is None:
            cache = self._encode(memory)
            hidden = torch.arange(memory.size(1), device=x.device)[None] >= memory_lengths[:, None]
        scores = self._heads(self.query_proj(x)) @ cache.keys.transpose(-2, -1) / math.sqrt(self.head_dim)
        if hidden is not None:
            scores = scores.masked_fill(hidden[:, None, None, :], -math.inf)
        context = torch.softmax(scores, dim=-1) @ cache.values
        return self.output_proj(context.transpose(1, 2).reshape(x.shape)), cache
