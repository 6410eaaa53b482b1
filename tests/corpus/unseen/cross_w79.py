# attn-kata: cross
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Explicit row-stable softmax; the mask is folded in as a 0/1 factor so nothing is ever NaN."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(2))
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def _heads(self, t: Tensor) -> Tensor:
        return t.view(t.size(0), t.size(1), self.num_heads, self.head_dim).transpose(1, 2)

    @staticmethod
    def _normalise(scores: Tensor, factor: Tensor | None) -> Tensor:
        top = scores if factor is None else scores.masked_fill(factor == 0, -1e4)
        e = torch.exp(scores.minimum(top.amax(-1, keepdim=True)) - top.amax(-1, keepdim=True))
        e = e / e.sum(-1, keepdim=True)
        return e if factor is None else e * factor

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q = self._heads(self.q(query))
        k, v = (self._heads(f(t)) for f, t in zip(self.kv, (key, value)))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        factor = None if mask is None else mask.unsqueeze(1).to(scores.dtype)
        p = self.drop(self._normalise(scores, factor))
        y = (p @ v).transpose(1, 2).contiguous().view(query.shape)
        return self.o(y)
