from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    @staticmethod
    def _remember(cache: dict | None, key: Tensor, value: Tensor) -> dict:
        cache = cache if cache is not None else {"keys": [], "values": []}
        cache["keys"].append(key)
        cache["values"].append(value)
        return cache

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        q, k, v = (self._heads(t) for t in self.qkv(x).chunk(3, dim=-1))
        cache = self._remember(cache, k, v)
        keys = torch.cat(cache["keys"], dim=2)
        values = torch.cat(cache["values"], dim=2)
        new, total = q.size(2), keys.size(2)
        ahead = torch.ones(new, total, dtype=torch.bool, device=x.device).triu(total - new + 1)
        scores = (q @ keys.mT / math.sqrt(self.head_dim)).masked_fill(ahead, float("-inf"))
        merged = (scores.softmax(-1) @ values).transpose(1, 2).flatten(2)
        return self.out(merged), cache
