# attn-kata: cross
from __future__ import annotations

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Avoids projecting the same memory twice."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q = self._split(self.Wq(query)) * self.head_dim ** -0.5
        k = self._split(self.Wk(key))
        v = k if value is key else self._split(self.Wv(value))
        scores = q @ k.mT
        if mask is not None:
            scores = scores.masked_fill((mask == 0)[:, None], float("-inf"))
        out = self.drop(scores.softmax(-1)) @ v
        return self.Wo(out.transpose(1, 2).flatten(2))
