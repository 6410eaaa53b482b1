# attn-kata: kvcache
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """Causal self-attention with a dict cache: {"k": ..., "v": ...}."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim must be a multiple of num_heads"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _split(self, t: Tensor) -> Tensor:
        batch, length, _ = t.shape
        return t.view(batch, length, self.num_heads, self.head_dim).transpose(1, 2)

    def _update(self, cache: dict[str, Tensor] | None, key: Tensor, value: Tensor) -> dict[str, Tensor]:
        """Adds the new positions. key, value: (batch, heads, new, head_dim)."""
        if cache is None:
            cache = {}
        for name, new in (("k", key), ("v", value)):
            cache[name] = torch.cat([cache[name], new], dim=2) if name in cache else new
        return cache

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        batch, length, hidden_dim = x.shape
        query = self._split(self.q_proj(x))
        cache = self._update(cache, self._split(self.k_proj(x)), self._split(self.v_proj(x)))
        key, value = cache["k"], cache["v"]
        total = key.size(2)
        allowed = torch.ones(length, total, dtype=torch.bool, device=x.device)
        allowed = torch.tril(allowed, diagonal=total - length)
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(self.head_dim)
        scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
        context = torch.matmul(torch.softmax(scores, dim=-1), value)
        context = context.transpose(1, 2).reshape(batch, length, hidden_dim)
        return self.out_proj(context), cache
