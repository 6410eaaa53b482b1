# attn-kata: cross-cache
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key_value = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        batch, length, hidden = x.shape
        if cache is None:
            key, value = self.key_value(memory).chunk(2, dim=-1)
            index = torch.arange(memory.shape[1], device=memory.device)
            cache = {
                "key": self.split(key),
                "value": self.split(value),
                "seen": index[None, :] <= memory_lengths.to(index.device)[:, None],
            }
        query = self.split(self.query(x))
        scores = query @ cache["key"].transpose(-2, -1) / math.sqrt(self.head_dim)
        hidden_places = ~cache["seen"][:, None, None, :]
        weights = scores.masked_fill(hidden_places, -torch.inf).softmax(dim=-1)
        merged = (weights @ cache["value"]).transpose(1, 2).reshape(batch, length, hidden)
        return self.output(merged), cache

    def split(self, t: Tensor) -> Tensor:
        return t.reshape(t.shape[0], t.shape[1], self.num_heads, self.head_dim).transpose(1, 2)
