"""Cross-attention with scores kept as (batch, Tq, heads, Tk): no transposes anywhere."""
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class _Shape:
    heads: int
    width: int

    def __call__(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.heads, self.width))


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.shape = _Shape(num_heads, hidden_dim // num_heads)
        self.ask = nn.Linear(hidden_dim, hidden_dim)
        self.index = nn.Linear(hidden_dim, hidden_dim)
        self.content = nn.Linear(hidden_dim, hidden_dim)
        self.answer = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.shape(self.ask(query))
        k = self.shape(self.index(key))
        v = self.shape(self.content(value))
        energy = torch.einsum("zihc,zjhc->zihj", q, k) / self.shape.width**0.5
        if mask is not None:
            energy = energy.masked_fill(mask.unsqueeze(2) == 0, float("-inf"))
        share = self.dropout(torch.softmax(energy, -1))
        return self.answer(torch.einsum("zihj,zjhc->zihc", share, v).flatten(2))
