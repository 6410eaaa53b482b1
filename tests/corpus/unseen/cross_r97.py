from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Geometry:
    width: int
    heads: int

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ValueError(f"{self.width} does not divide into {self.heads} heads")

    @property
    def head_width(self) -> int:
        return self.width // self.heads

    def split(self, t: Tensor) -> Tensor:
        batch, length, _ = t.shape
        return t.reshape(batch, length, self.heads, self.head_width).transpose(1, 2)

    def join(self, t: Tensor) -> Tensor:
        batch, _, length, _ = t.shape
        return t.transpose(1, 2).reshape(batch, length, self.width)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.geometry = Geometry(hidden_dim, num_heads)
        self.from_query = nn.Linear(hidden_dim, hidden_dim)
        self.from_key = nn.Linear(hidden_dim, hidden_dim)
        self.from_value = nn.Linear(hidden_dim, hidden_dim)
        self.to_output = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        g = self.geometry
        q = g.split(self.from_query(query))          # (B, H, Tq, d)
        k = g.split(self.from_key(key))              # (B, H, Tk, d)
        v = g.split(self.from_value(value))          # (B, H, Tk, d)
        scores = q @ k.transpose(-2, -1) * g.head_width ** -0.5
        if mask is not None:
            closed = (mask == 0).unsqueeze(1)        # (B, 1, Tq, Tk)
            scores = scores.masked_fill(closed, torch.finfo(scores.dtype).min)
        weights = self.dropout(torch.softmax(scores, dim=-1))
        return self.to_output(g.join(weights @ v))
