# wrong: kvcache causal-missing-in-chunks line 41
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedSelfAttention(nn.Module):
    """Prefill builds the cache, decoding appends to it."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.heads, self.head_dim)).transpose(1, 2)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        scores = torch.matmul(q, k.transpose(-2, -1)).div(math.sqrt(self.head_dim))
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        mixed = torch.matmul(scores.softmax(dim=-1), v)
        return self.wo(mixed.transpose(1, 2).flatten(2))

    def _prefill(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Any]:
        length = q.shape[2]
        above = torch.triu(q.new_ones(length, length), diagonal=1).bool()
        return self._attend(q, k, v, above), {"k": k, "v": v}

    def _decode(self, q: Tensor, k: Tensor, v: Tensor, cache: dict) -> tuple[Tensor, Any]:
        k = torch.cat((cache["k"], k), dim=2)
        v = torch.cat((cache["v"], v), dim=2)
        return self._attend(q, k, v, None), {"k": k, "v": v}

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        q, k, v = (self._heads(w(x)) for w in (self.wq, self.wk, self.wv))
        return self._prefill(q, k, v) if cache is None else self._decode(q, k, v, cache)
